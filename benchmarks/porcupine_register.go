// Decides logs of one register with Porcupine: JSON lines as benchmarks/register_logs.py writes them.
// Prints "yes", "no" or "unknown" for each file, with a limit of 60 seconds.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

type entry struct {
	Request string
	Answer  interface{}
	Start   int64
	End     *int64
}

func step(state, input, output interface{}) (bool, interface{}) {
	now, asked := state.(string), input.(string)
	name, rest := asked, ""
	if at := strings.IndexByte(asked, '('); at >= 0 {
		name, rest = asked[:at], asked[at+1:len(asked)-1]
	}
	switch name {
	case "read":
		return output == nil || output.(string) == now, now
	case "write":
		return true, rest
	}
	values := strings.Split(rest, ",")
	succeeds := values[0] == now
	if output != nil && (output.(string) == "true") != succeeds {
		return false, now
	}
	if succeeds {
		return true, values[1]
	}
	return true, now
}

func main() {
	model := porcupine.Model{Init: func() interface{} { return "null" }, Step: step}
	for _, path := range os.Args[1:] {
		file, err := os.Open(path)
		if err != nil {
			panic(err)
		}
		var operations []porcupine.Operation
		lines := bufio.NewScanner(file)
		for client := 0; lines.Scan(); client++ {
			var found entry
			if err := json.Unmarshal(lines.Bytes(), &found); err != nil {
				panic(err)
			}
			each := porcupine.Operation{ClientId: client, Input: found.Request, Call: found.Start, Return: 1 << 60}
			if found.End != nil {
				each.Return = *found.End
				if found.Answer == nil {
					each.Output = "null"
				} else {
					each.Output = fmt.Sprint(found.Answer)
				}
			}
			operations = append(operations, each)
		}
		switch porcupine.CheckOperationsTimeout(model, operations, 60*time.Second) {
		case porcupine.Ok:
			fmt.Println("yes")
		case porcupine.Illegal:
			fmt.Println("no")
		default:
			fmt.Println("unknown")
		}
	}
}
