import { isCelError, parse, plan, type CelError, type CelInput, type CelValue } from "@bufbuild/cel";
import { describeError } from "@cloudwright/platform";
import { checkTree, UnusableError } from "./check-tree.ts";
import { environment, onMeter } from "./environment.ts";
import { policyLimits } from "./limits.ts";
import type { Meter } from "./meter.ts";

/** Variables of an expression and their values. */
export type Bindings = Readonly<Record<string, CelInput>>;

/** The value of an expression, or the reason why it has none. */
export type Evaluated = { readonly value: CelValue } | { readonly error: string };

/** A compiled and checked expression. */
export interface Expression {
  readonly text: string;
  evaluate(bindings: Bindings, meter: Meter): Evaluated;
}

/** The compiled expression, or a description of the error with its position. */
export type Compiled = { readonly expression: Expression } | { readonly problem: string };

/** Compiles an expression that may use the given names. Reports any error that can be detected without a subject. */
export function compileExpression(text: string, names: ReadonlySet<string>): Compiled {
  const { expressionChars } = policyLimits;
  if (text.length > expressionChars) return { problem: `the expression has more than ${expressionChars} characters` };
  try {
    const tree = parse(text);
    checkTree(tree.expr, names);
    const program = plan(environment, tree);
    return {
      expression: { text, evaluate: (bindings, meter) => readAnswer(onMeter(meter, () => program(bindings))) },
    };
  } catch (error) {
    if (error instanceof RangeError) return { problem: "the expression is nested too deeply" };
    // The parser reports positions as `<input>:1:3`. An UnusableError carries the node instead.
    const place = error instanceof UnusableError ? positionOf(text, error) : "";
    return { problem: `${place}${describeError(error).replace(/^<input>:(\d+:\d+): /, "at $1 of the expression: ")}` };
  }
}

// The CEL library catches exceptions during evaluation and returns them as error values.
function readAnswer(value: CelValue | CelError): Evaluated {
  return isCelError(value) ? { error: value.message } : { value };
}

function positionOf(text: string, { id }: UnusableError): string {
  const offset = parse(text).sourceInfo?.positions[id.toString()];
  if (offset === undefined) return "";
  const before = text.slice(0, offset).split("\n");
  return `at ${before.length}:${(before.at(-1)?.length ?? 0) + 1} of the expression: `;
}
