package keys_test

import (
	"fmt"

	"drainboard/keys"
)

func Example() {
	var args keys.Args // reuse it for call after call
	if err := args.Parse([]byte(`{"repo":"acme/pay","head":"fix/retry","requested_at":1772442000}`)); err != nil {
		fmt.Println(err)
		return
	}
	at, err := keys.ParsePointer("/requested_at")
	if err != nil {
		fmt.Println(err)
		return
	}
	args.Ignore([]keys.Pointer{at})

	run, tool := keys.RunID{Text: []byte("run-1")}, []byte("open_pr")
	key, err := keys.Dedup16.Derive(run, tool, &args)
	if err != nil {
		fmt.Println(err)
		return
	}
	hashed, _ := keys.Dedup16.Bytes(nil, run, tool, &args)
	fmt.Println(string(hashed))
	fmt.Println(keys.Dedup16.Text(key))
	// Output:
	// run-1|open_pr|{"head":"fix/retry","repo":"acme/pay"}
	// 4af9059d72bcfbeb
}
