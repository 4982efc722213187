// What programs in Go do: client URL prints what is there. Built with Go's own resolver, and with that of the C library.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	body, _ := io.ReadAll(answer.Body)
	fmt.Print(string(body))
}
