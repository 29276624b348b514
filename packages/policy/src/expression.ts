import { isCelError, parse, plan, type CelError, type CelInput, type CelValue } from "@bufbuild/cel";
import { describeError } from "@cloudwright/platform";
import { checkTree, UnusableError } from "./check-tree.ts";
import { environment, onMeter } from "./environment.ts";
import { policyLimits } from "./limits.ts";
import type { Meter } from "./meter.ts";

/** What an expression can name. */
export type Bindings = Readonly<Record<string, CelInput>>;

/** A value, or why there is none. */
export type Evaluated = { readonly value: CelValue } | { readonly error: string };

/** A checked expression. */
export interface Expression {
  readonly text: string;
  evaluate(bindings: Bindings, meter: Meter): Evaluated;
}

/** An expression that can be evaluated, or what is wrong with it and where in it. */
export type Compiled = { readonly expression: Expression } | { readonly problem: string };

/** Checks an expression that may name `names`. Everything that can be known without a subject is refused here. */
export function compileExpression(text: string, names: ReadonlySet<string>): Compiled {
  const { expressionChars } = policyLimits;
  if (text.length > expressionChars) return { problem: `the expression is longer than ${expressionChars} characters` };
  try {
    const tree = parse(text);
    checkTree(tree.expr, names);
    const program = plan(environment, tree);
    return {
      expression: { text, evaluate: (bindings, meter) => readAnswer(onMeter(meter, () => program(bindings))) },
    };
  } catch (error) {
    if (error instanceof RangeError) return { problem: "the expression is nested too deeply" };
    // The parser calls its input `<input>:1:3`; ours say where by the node they stand on.
    const place = error instanceof UnusableError ? positionOf(text, error) : "";
    return { problem: `${place}${describeError(error).replace(/^<input>:(\d+:\d+): /, "at $1 of the expression: ")}` };
  }
}

// The library answers with an error whatever is thrown inside. What the meter throws passes by every `||` that would swallow an error.
function readAnswer(value: CelValue | CelError): Evaluated {
  return isCelError(value) ? { error: value.message } : { value };
}

function positionOf(text: string, { id }: UnusableError): string {
  const offset = parse(text).sourceInfo?.positions[id.toString()];
  if (offset === undefined) return "";
  const before = text.slice(0, offset).split("\n");
  return `at ${before.length}:${(before.at(-1)?.length ?? 0) + 1} of the expression: `;
}
