package redact

import "strings"

// sure is how much a name tells about its value.
type sure uint8

const (
	perhaps sure = iota + 1 // a secret when it looks like one: auth, signature
	several                 // secrets, or how many there are: tokens
	surely                  // password
)

// ends are what the names of secrets end in, in lower case and without anything but letters and digits.
var ends = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "authorization", "cookie", "credential", "bearer", "jwt",
	"apikey", "accesskey", "secretkey", "privatekey", "signingkey", "encryptionkey", "masterkey", "accountkey", "sharedkey", "sshkey", "deploykey",
	"authkey", "storagekey", "serverkey", "webhookkey", "webhooksecret", "connectionstring", "cardnumber", "securitycode", "recoverycode", "backupcode",
	"passwordhash", "passwordconfirm", "passwordconfirmation", "secretvalue", "secretstring", "tokenvalue", "passwordvalue", "authorizationheader",
}

// words are names, or last words of names, that are too short to be looked for at the end of others: compass, bypass.
var words = []string{"pass", "pwd", "pw", "pin", "otp", "totp", "cvv", "cvc", "ssn", "pan"}

// hints are parts of names that are often those of secrets.
var hints = []string{"token", "secret", "passw", "apikey", "accesskey", "privatekey", "auth", "credential", "signature", "hmac", "cookie"}

// hintWords are words that are a hint only as a whole.
var hintWords = []string{"sig", "sign", "sas"}

// secret says what a name tells about its value: pointers, dots and cases aside.
func secret(name string) sure {
	if len(name) > 200 {
		name = name[len(name)-200:]
	}
	flat, last := flatten(name)
	if flat == "" {
		return 0
	}
	one := strings.TrimSuffix(flat, "s")
	for _, e := range ends {
		if strings.HasSuffix(flat, e) {
			return surely
		}
		if strings.HasSuffix(one, e) {
			return several
		}
	}
	for _, e := range words {
		if last == e {
			return surely
		}
	}
	for _, h := range hints {
		if strings.Contains(flat, h) {
			return perhaps
		}
	}
	for _, h := range hintWords {
		if last == h {
			return perhaps
		}
	}
	return 0
}

// flatten gives a name in lower case without anything but letters, and its last word.
func flatten(name string) (flat, last string) {
	b := make([]byte, 0, len(name))
	word, lower := 0, false
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			if lower {
				word = len(b)
			}
			b, lower = append(b, c+'a'-'A'), false
		case c >= 'a' && c <= 'z':
			if i > 0 && separates(name[i-1]) {
				word = len(b)
			}
			b, lower = append(b, c), true
		case digit(c): // password2
			lower = true
		default:
			if i+1 < len(name) {
				word = len(b)
			}
			lower = false
		}
	}
	return string(b), string(b[min(word, len(b)):])
}

func separates(c byte) bool {
	return !letter(c) && !digit(c)
}

// naming says whether a member holds the name of what stands beside it.
func naming(name string) bool {
	switch strings.ToLower(name) {
	case "name", "key", "header", "field", "param", "parameter", "variable", "var", "k", "id", "pointer", "attribute", "label":
		return true
	}
	return false
}

// valued says whether a member holds a value that another one names; a and b are those of a comparison.
func valued(name string) bool {
	switch strings.ToLower(name) {
	case "value", "values", "val", "v", "content", "contents", "default", "text", "data", "a", "b":
		return true
	}
	return false
}

// lastName is the last name of a pointer, or the name itself.
func lastName(name string) string {
	for at := strings.LastIndexByte(name, '/'); at >= 0; at = strings.LastIndexByte(name, '/') {
		if last := name[at+1:]; strings.Trim(last, "0123456789") != "" {
			return last
		}
		name = name[:at] // a position
	}
	return name
}

// random says whether a text could be a key: long, of the characters of hexadecimal or base64, letters and digits both.
func random(s string) bool {
	if len(s) < 16 || strings.HasPrefix(s, "/") {
		return false
	}
	letters, digits := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case letter(c):
			letters++
		case digit(c):
			digits++
		case strings.IndexByte("+/=_-.~:", c) < 0:
			return false
		}
	}
	return letters > 0 && digits > 1
}
