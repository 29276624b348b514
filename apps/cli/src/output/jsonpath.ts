import { isObject } from "@cloudwright/platform";
import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";

/**
 * Renders a template in a subset of kubectl's JSONPath. Supports text, `{.a.b}`, `[0]`, `[-1]`, `[*]`, `.*`, `['key']`, `[?(@.a=="b")]`,
 * `{range ...}...{end}` and quoted text such as `{"\n"}`. Multiple results are separated by a space.
 */
export function renderJsonPath(template: string, root: unknown): string {
  const parts = template.includes("{") ? splitTemplate(template) : [{ path: template, isText: false }];
  const { text, rest } = renderParts(parts, root);
  if (rest.length > 0) throw wrong(template, "{end} without {range}");
  return text;
}

interface Part {
  readonly path: string;
  readonly isText: boolean;
}

function renderParts(parts: readonly Part[], at: unknown): { text: string; rest: readonly Part[]; ended?: boolean } {
  let text = "";
  for (let index = 0; index < parts.length; index += 1) {
    const { path, isText } = parts[index] as Part;
    if (isText) text += path;
    else if (path === "end") return { text, rest: parts.slice(index), ended: true };
    else if (path.startsWith("range ")) {
      const body = parts.slice(index + 1);
      const items = evaluate(path.slice("range ".length).trim(), at);
      const skipped = renderParts(body, undefined);
      if (skipped.ended !== true) throw wrong(path, "{range} without {end}");
      for (const item of items) text += renderParts(body, item).text;
      index = parts.length - skipped.rest.length;
    } else if (/^(['"]).*\1$/s.test(path)) text += unquote(path);
    else text += evaluate(path, at).map(show).join(" ");
  }
  return { text, rest: [] };
}

function splitTemplate(template: string): Part[] {
  const parts: Part[] = [];
  const pattern = /\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}|([^{}]+)|[{}]/gs;
  for (const match of template.matchAll(pattern)) {
    if (match[1] === undefined && match[2] === undefined) throw wrong(template, "unbalanced braces");
    parts.push(match[2] === undefined ? { path: (match[1] as string).trim(), isText: false } : { path: match[2], isText: true });
  }
  return parts;
}

const step =
  /^(?:\.\.|\.?\[\?\(@((?:\.[\w-]+)*)\s*(==|!=)\s*("[^"]*"|'[^']*'|[\w.-]+)\)\]|\.?\[(\*|-?\d+)\]|\.?\[(?:'([^']*)'|"([^"]*)")\]|\.(\*|(?:\\\.|[^.[\]\s])+))/;

/** Returns all values that a path matches. */
function evaluate(path: string, root: unknown): unknown[] {
  let rest = path.replace(/^[$@]/, "");
  if (rest !== "" && !/^[.[]/.test(rest)) rest = `.${rest}`;
  let values: unknown[] = [root];
  while (rest !== "" && rest !== ".") {
    const match = step.exec(rest);
    if (match === null || match[0] === "..") throw wrong(path, `syntax error at "${rest}"`);
    rest = rest.slice(match[0].length);
    const [, field, operator, literal, index, single, double, name] = match;
    const key = single ?? double ?? name?.replaceAll("\\.", ".");
    values = values.flatMap((value) => {
      if (operator !== undefined) {
        return children(value).filter(
          (item) => (evaluate(field ?? "", item).map(show)[0] === unquote(literal ?? "")) === (operator === "=="),
        );
      }
      if (index === "*" || (name === "*" && key === "*")) return children(value);
      if (index !== undefined) return Array.isArray(value) ? pick(value.at(Number(index))) : [];
      return isObject(value) ? pick(value[key as string]) : [];
    });
  }
  return values;
}

function pick(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}

function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function show(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function unquote(text: string): string {
  if (!/^(['"]).*\1$/s.test(text)) return text;
  return text.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => ({ n: "\n", t: "\t" })[char] ?? char);
}

function wrong(template: string, why: string): Fault {
  return new Fault(cliFaults.usage, `invalid jsonpath ${template}: ${why}`);
}
