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
		if last != nil && *last.To == row.Image() && last.Detail == tokenDetail(s.Token) {
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
	row.Updated = forward(s.Now, row.Updated)
	if err := tx.Change(row); err != nil {
		return Settled{}, err
	}
	act := ActCommit
	if s.State == Failed {
		act = ActFail
	}
	_, err := tx.Log(&Entry{
		At: s.Now, Actor: s.Actor, Action: act, Key: row.Key, Tool: row.Tool, Reason: s.Reason,
		Detail: tokenDetail(s.Token), From: from, To: image(row),
	})
	row.Claim = nil
	return Settled{Row: *row}, err
}

// tokenDetail marks a settlement with the claim that made it.
func tokenDetail(token string) string { return detail("token", token) }
