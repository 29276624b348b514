import { parsePattern, type Accepts, type Node, type Place } from "./parse-pattern.ts";

// Kubernetes evaluates the patterns of schemas with RE2, whose running time is linear in the length of the text. `RegExp` backtracks, so a
// client could stall the server with a pattern such as `^(a+)+$`. This matcher follows all alternatives at the same time instead.

/** A compiled pattern. */
export interface Pattern {
  /**
   * Returns whether a text contains a match. Calls `spend` with the number of steps, which the caller can limit by throwing. The number of
   * steps is at most the size of the pattern times the length of the text.
   */
  test(text: string, spend?: (steps: number) => void): boolean;
}

/** Largest number of instructions. Repetitions such as `{1,1000}` are expanded. */
const mostInstructions = 5000;
/** Largest number of parts that are compiled. An empty group that is repeated has parts, but no instructions. */
const mostParts = 20_000;

type Instruction =
  | { readonly is: "char"; readonly accepts: Accepts; readonly next: number }
  | { readonly is: "place"; readonly place: Place; readonly next: number }
  | { readonly is: "fork"; readonly targets: number[] }
  | { readonly is: "match" };

/** Compiles a pattern in RE2 syntax. Throws a SyntaxError if the pattern is invalid, too large, or uses lookaround or back references. */
export function compilePattern(source: string): Pattern {
  const program: Instruction[] = [{ is: "match" }];
  let parts = 0;
  const emit = (instruction: Instruction): number => {
    if (program.length >= mostInstructions) throw new SyntaxError("the expression is too large");
    return program.push(instruction) - 1;
  };

  // Emits the instructions for a node and returns the first of them. `next` is the instruction that follows the node.
  function emitNode(node: Node, next: number): number {
    if (++parts > mostParts) throw new SyntaxError("the expression is too large");
    switch (node.is) {
      case "char":
        return emit({ is: "char", accepts: node.accepts, next });
      case "place":
        return emit({ is: "place", place: node.place, next });
      case "all":
        return node.parts.reduceRight((after, part) => emitNode(part, after), next);
      case "any":
        return emit({ is: "fork", targets: node.parts.map((part) => emitNode(part, next)) });
      case "repeat": {
        let at = next;
        if (node.most === Infinity) {
          const targets = [next];
          at = emit({ is: "fork", targets });
          targets.push(emitNode(node.part, at));
        } else {
          for (let count = node.least; count < node.most; count++)
            at = emit({ is: "fork", targets: [next, emitNode(node.part, at)] });
        }
        for (let count = 0; count < node.least; count++) at = emitNode(node.part, at);
        return at;
      }
    }
  }

  const first = emitNode(parsePattern(source), 0);
  return { test: (text, spend) => run(program, first, text, spend) };
}

function run(program: readonly Instruction[], first: number, text: string, spend?: (steps: number) => void): boolean {
  const seenAt = new Int32Array(program.length).fill(-1);
  let active: number[] = [];
  let before = -1;
  for (let index = 0, turn = 0; ; turn++) {
    const code = text.codePointAt(index) ?? -1;
    const holds = (place: Place): boolean => isAt(place, before, code);
    // A match may start anywhere, so the first instruction is followed at every position.
    const pending = [...active, first];
    const chars: number[] = [];
    let steps = 0;
    while (pending.length > 0) {
      const at = pending.pop() as number;
      steps++;
      if (seenAt[at] === turn) continue;
      seenAt[at] = turn;
      const instruction = program[at] as Instruction;
      if (instruction.is === "match") return true;
      if (instruction.is === "char") chars.push(at);
      else if (instruction.is === "fork") pending.push(...instruction.targets);
      else if (holds(instruction.place)) pending.push(instruction.next);
    }
    spend?.(steps + chars.length);
    if (code < 0) return false;
    active = [];
    for (const at of chars) {
      const instruction = program[at] as Instruction & { is: "char" };
      if (instruction.accepts(code)) active.push(instruction.next);
    }
    before = code;
    index += code > 0xffff ? 2 : 1;
  }
}

function isAt(place: Place, before: number, after: number): boolean {
  switch (place) {
    case "start":
      return before < 0;
    case "end":
      return after < 0;
    case "lineStart":
      return before < 0 || before === 10;
    case "lineEnd":
      return after < 0 || after === 10;
    case "word":
      return isWord(before) !== isWord(after);
    case "notWord":
      return isWord(before) === isWord(after);
  }
}

function isWord(code: number): boolean {
  return code >= 0 && code < 128 && /\w/.test(String.fromCharCode(code));
}
