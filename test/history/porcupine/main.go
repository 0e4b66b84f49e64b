// Judges histories with Porcupine, a linearizability checker of other authors, so that our own checker
// has somebody to agree with. Reads one history a line, writes "legal" or "illegal" a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// A call as the TypeScript side writes it. Kind is claim, release or free (a lock that may end by
// itself from Call on). Out is what was answered: a fence, "released", "already-gone".
type operation struct {
	Client  int     `json:"client"`
	Kind    string  `json:"kind"`
	Fence   int64   `json:"fence"`
	Weight  int     `json:"weight"`
	Outcome string  `json:"outcome"`
	Call    float64 `json:"call"`
	Return  float64 `json:"return"`
}

type history struct {
	Slots      int         `json:"slots"`
	Operations []operation `json:"operations"`
}

// The lock's whole state as text, so that states can be compared: last fence, then who holds, once for
// each slot.
func encode(last int64, held []int64) string {
	sort.Slice(held, func(i, j int) bool { return held[i] < held[j] })
	parts := []string{fmt.Sprint(last)}
	for _, fence := range held {
		parts = append(parts, fmt.Sprint(fence))
	}
	return strings.Join(parts, " ")
}

func decode(state string) (int64, []int64) {
	var numbers []int64
	for _, part := range strings.Fields(state) {
		var number int64
		fmt.Sscan(part, &number)
		numbers = append(numbers, number)
	}
	return numbers[0], numbers[1:]
}

func without(held []int64, fence int64) ([]int64, bool) {
	for i, each := range held {
		if each == fence {
			rest, _ := without(held[i+1:], fence)
			return append(append([]int64{}, held[:i]...), rest...), true
		}
	}
	return held, false
}

func lockModel(slots int) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return encode(0, nil) },
		Step: func(state, input, output interface{}) (bool, interface{}) {
			last, held := decode(state.(string))
			op := input.(operation)
			rest, isHeld := without(held, op.Fence)
			switch op.Kind {
			case "claim":
				if len(held)+op.Weight > slots || op.Fence <= last {
					return false, state
				}
				next := append([]int64{}, held...)
				for taken := 0; taken < op.Weight; taken++ {
					next = append(next, op.Fence)
				}
				return true, encode(op.Fence, next)
			case "release":
				if op.Outcome == "released" {
					return isHeld, encode(last, rest)
				}
				return !isHeld, state
			default: // It may have ended by itself, or by its own release before.
				return op.Fence <= last, encode(last, rest)
			}
		},
	}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<20), 1<<26)
	for in.Scan() {
		var read history
		if err := json.Unmarshal(in.Bytes(), &read); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		var operations []porcupine.Operation
		for _, op := range read.Operations {
			end := int64(math.MaxInt64)
			if op.Return >= 0 {
				end = int64(op.Return)
			}
			operations = append(operations, porcupine.Operation{
				ClientId: op.Client, Input: op, Call: int64(op.Call), Output: nil, Return: end,
			})
		}
		if porcupine.CheckOperations(lockModel(read.Slots), operations) {
			fmt.Println("legal")
		} else {
			fmt.Println("illegal")
		}
	}
}
