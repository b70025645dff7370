package safe

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"sync"
)

// Hidden stands where Mask took something away.
const Hidden = "[hidden]"

// shapes are what credentials look like wherever they stand: keys of well-known services, tokens of three parts, private keys,
// what follows Bearer or Basic, the password of an address.
var shapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:sk|rk|pk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}` +
		`|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}` +
		`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)
})

// led are credentials that are known by what stands before them, which stays.
var led = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}|(://[^/\s:@]*:)[^@\s/]+@`)
})

// MaskText takes away what looks like a credential in text.
func MaskText(s string) string {
	s = shapes().ReplaceAllString(s, Hidden)
	return led().ReplaceAllStringFunc(s, func(m string) string {
		part := led().FindStringSubmatch(m)
		if part[2] != "" {
			return part[2] + Hidden + "@"
		}
		return part[1] + Hidden
	})
}

// secretNames are what the names of secret values end in, in lower case and without anything but letters and digits.
var secretNames = []string{
	"password", "passwd", "passphrase", "secret", "secretkey", "token", "apikey", "accesskey", "privatekey", "signingkey", "authorization",
	"cookie", "credential", "credentials", "cvv", "cvc", "cardnumber", "ssn", "otp",
}

func secretName(name string) bool {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
	for _, s := range secretNames {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// Mask takes secrets out of a JSON value: whole values by the names of their members, parts of strings by their shape. A string
// that is JSON itself is masked as such. The order of members stays; what is no JSON is masked as text. It is for eyes: numbers stay
// as they are written, but white space and escapes may change.
func Mask(raw []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out bytes.Buffer
	if err := maskValue(d, &out, false); err != nil {
		return []byte(MaskText(string(raw)))
	}
	if _, err := d.Token(); err != io.EOF {
		return []byte(MaskText(string(raw)))
	}
	return out.Bytes()
}

func maskValue(d *json.Decoder, out *bytes.Buffer, hide bool) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		return maskInside(d, out, hide, t == '{')
	case string:
		return maskString(out, t, hide)
	case json.Number:
		if hide {
			return put(out, Hidden)
		}
		out.WriteString(t.String())
	case bool:
		return put(out, t)
	default:
		out.WriteString("null")
	}
	return nil
}

// maskInside masks the members of an object, or the items of an array, to their end.
func maskInside(d *json.Decoder, out *bytes.Buffer, hide, object bool) error {
	ends := map[bool]string{true: "{}", false: "[]"}[object]
	out.WriteByte(ends[0])
	for first := true; d.More(); first = false {
		if !first {
			out.WriteByte(',')
		}
		secret := hide
		if object {
			name, err := d.Token()
			if err != nil {
				return err
			}
			text, _ := name.(string)
			secret = hide || secretName(text)
			if err := put(out, MaskText(text)); err != nil {
				return err
			}
			out.WriteByte(':')
		}
		if err := maskValue(d, out, secret); err != nil {
			return err
		}
	}
	out.WriteByte(ends[1])
	_, err := d.Token()
	return err
}

func maskString(out *bytes.Buffer, s string, hide bool) error {
	switch at := strings.TrimLeft(s, " \t\r\n"); {
	case hide:
		s = Hidden
	case at != "" && (at[0] == '{' || at[0] == '['):
		s = string(Mask([]byte(s)))
	default:
		s = MaskText(s)
	}
	return put(out, s)
}

// put writes a value as JSON, with <, > and & as they are.
func put(out *bytes.Buffer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the line end
	return nil
}
