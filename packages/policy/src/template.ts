import { celType, isCelList, isCelMap, type CelValue } from "@bufbuild/cel";
import { compileExpression, type Bindings, type Expression } from "./expression.ts";
import { policyLimits } from "./limits.ts";
import type { Meter } from "./meter.ts";

/** A message with placeholders, such as `cluster {{ metadata.name }} is open`. */
export interface Template {
  render(bindings: Bindings, meter: Meter): string;
}

/** Compiles a message whose placeholders are expressions. If a placeholder is invalid, returns a problem that names it. */
export function compileTemplate(
  text: string,
  names: ReadonlySet<string>,
): { readonly template: Template } | { readonly problem: string } {
  const parts: (string | Expression)[] = [];
  let at = 0;
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", at)) {
    const close = text.indexOf("}}", open + 2);
    if (close < 0) return { problem: "a placeholder is not closed" };
    const part = text.slice(open + 2, close);
    const compiled = compileExpression(part.trim(), names);
    if ("problem" in compiled) return { problem: `placeholder {{${part}}}: ${compiled.problem}` };
    parts.push(text.slice(at, open), compiled.expression);
    at = close + 2;
  }
  parts.push(text.slice(at));
  return {
    template: {
      render: (bindings, meter) =>
        parts.map((part) => (typeof part === "string" ? part : renderPart(part, bindings, meter))).join(""),
    },
  };
}

// A failing placeholder is rendered as "(unknown)", so that a message never affects the decision.
function renderPart(part: Expression, bindings: Bindings, meter: Meter): string {
  const evaluated = part.evaluate(bindings, meter);
  if ("error" in evaluated) return "(unknown)";
  const text = print(evaluated.value);
  const { placeholderChars } = policyLimits;
  return text.length > placeholderChars ? `${text.slice(0, placeholderChars)}...` : text;
}

function print(value: CelValue): string {
  if (isCelList(value)) return printFirst([...value].slice(0, 20).map(print), value.size, ", ");
  if (isCelMap(value)) return printFirst([...value.keys()].slice(0, 20).map(String), value.size, ", ");
  if (typeof value === "object") return value === null ? "" : `(${celType(value).name})`;
  return oneLine(String(value));
}

function printFirst(shown: readonly string[], size: number, separator: string): string {
  return `${shown.join(separator)}${size > shown.length ? `${separator}...` : ""}`;
}

// Removes line breaks, so that a name cannot forge a second message.
function oneLine(text: string): string {
  return text.slice(0, 2 * policyLimits.placeholderChars).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}
