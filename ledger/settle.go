package ledger

// Held is a claim that its holder has in hand: what a settlement is compared with.
type Held struct {
	Key     string
	Tool    string
	Token   string
	Updated float64 // updated_at as the claim wrote it
}

// Settlement is what the holder of a claim makes of its row.
type Settlement struct {
	Held
	State       State // Committed or Failed
	Response    string
	HasResponse bool
	Reason      string // why it failed, for the log
	Actor       string
	Now         float64
}

// Settled is what became of a settlement.
type Settled struct {
	Late bool // the claim was gone: the reply went to drainboard_late and the row stayed as it is
	Row  Row  // as it is now; zero when it is gone
}

// SettleTx commits or fails a row in flight under the caller's own claim. A row that moved is left as it is and the
// reply is kept as a late one.
func SettleTx(tx Tx, s *Settlement) (Settled, error) {
	row, err := tx.Row(s.Key)
	if err != nil {
		return Settled{}, err
	}
	mine := row != nil && row.Claim != nil && row.Claim.Token == s.Token
	if mine && row.State == InFlight && row.Updated == s.Updated {
		return settleTx(tx, s, row)
	}
	if row != nil && row.State == s.State && row.HasResponse == s.HasResponse && row.Response == s.Response {
		last, err := tx.Last(s.Key)
		if err != nil {
			return Settled{}, err
		}
		if last != nil && *last.To == row.Image() && last.Detail == s.Detail() {
			return Settled{Row: *row}, nil // it was committed before, and the answer got lost
		}
	}
	l := Late{
		Key: s.Key, Tool: s.Tool, Token: s.Token, State: s.State,
		Response: s.Response, HasResponse: s.HasResponse, At: s.Now,
	}
	if err := tx.AddLate(&l); err != nil {
		return Settled{}, err
	}
	if row == nil {
		return Settled{Late: true}, nil
	}
	return Settled{Late: true, Row: *row}, nil
}

func settleTx(tx Tx, s *Settlement, row *Row) (Settled, error) {
	from := image(row)
	row.State, row.Response, row.HasResponse = s.State, s.Response, s.HasResponse
	row.Updated = s.After()
	if err := tx.Change(row); err != nil {
		return Settled{}, err
	}
	_, err := tx.Log(&Entry{
		At: s.Now, Actor: s.Actor, Action: s.Act(), Key: row.Key, Tool: row.Tool, Reason: s.Reason,
		Detail: s.Detail(), From: from, To: image(row),
	})
	row.Claim = nil
	return Settled{Row: *row}, err
}

// After is updated_at of the settled row.
func (s *Settlement) After() float64 { return forward(s.Now, s.Updated) }

// Act is what the settlement is in the log.
func (s *Settlement) Act() Act {
	if s.State == Failed {
		return ActFail
	}
	return ActCommit
}

// Detail marks the log entry with the claim that made it.
func (s *Settlement) Detail() string { return tokenDetail(s.Token) }

// tokenDetail marks a settlement with the claim that made it.
func tokenDetail(token string) string { return detail("token", token) }
