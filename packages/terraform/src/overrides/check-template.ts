import { pureFunctions } from "./pure-functions.ts";

/** Names that expose Terraform's environment or the internals of other modules. */
export const deniedRoots: ReadonlySet<string> = new Set(["path", "terraform", "tofu", "module", "ephemeral", "action"]);
const keywords = new Set(["for", "in", "if", "else", "endif", "endfor"]);
const deepestTemplate = 32;

type Mode = { readonly kind: "text"; readonly isQuoted: boolean } | { readonly kind: "expression"; braces: number };

/** Returns the problems in a string's templates: calls to impure functions, and references outside the configuration. */
export function checkTemplate(text: string): readonly string[] {
  if (!/[$%]\{/.test(text)) return [];
  // If three `$` or `%` signs precede a brace, either the first two or the last two could be the escape sequence.
  if (/\${3}\{|%{3}\{/.test(text)) return ["three $ or % before a brace are ambiguous; write $${ or %%{ for a literal ${ or %{"];
  const scanner = createScanner(text);
  while (!scanner.isDone()) scanner.step();
  return scanner.findings();
}

function createScanner(text: string) {
  const found = new Set<string>();
  const modes: Mode[] = [{ kind: "text", isQuoted: false }];
  let at = 0;
  let previous = "";
  const giveUp = (why: string): void => {
    found.add(why);
    at = text.length;
    modes.length = 1;
  };
  const enter = (mode: Mode): void => {
    if (modes.length >= deepestTemplate) giveUp("a template is nested too deeply; move parts of it into locals");
    else modes.push(mode);
  };
  const stepText = (isQuoted: boolean): void => {
    if (/^(\$\$|%%)\{/.test(text.slice(at, at + 3))) at += 3;
    else if (/^[$%]\{/.test(text.slice(at, at + 2))) {
      at += 2;
      previous = "";
      enter({ kind: "expression", braces: 0 });
    } else if (isQuoted && text[at] === "\\") at += 2;
    else if (isQuoted && text[at] === '"') {
      modes.pop();
      previous = '"';
      at += 1;
    } else at += 1;
  };
  const stepExpression = (mode: { braces: number }): void => {
    const rest = text.slice(at, at + 2);
    if (/^(#|\/\/|\/\*)/.test(rest)) return giveUp("comments in templates are not supported; remove them");
    if (rest === "<<") return giveUp("heredocs in templates are not supported; write the text in quotes");
    if (rest === "::") found.add("provider functions are not allowed; call one of Terraform's own pure functions");
    const name = match(/[\p{ID_Start}_][\p{ID_Continue}-]*/uy);
    if (name !== undefined) return hearName(name);
    if (match(/\d+(\.\d+)?([eE][+-]?\d+)?|\s+/y) !== undefined) return;
    const sign = text[at] as string;
    at += 1;
    if (sign === '"') return enter({ kind: "text", isQuoted: true });
    if (sign === "{") mode.braces += 1;
    if (sign === "}" && mode.braces === 0) modes.pop();
    else if (sign === "}") mode.braces -= 1;
    previous = sign;
  };
  const hearName = (name: string): void => {
    const next = /\s*(?<next>==|\S)?/y;
    next.lastIndex = at;
    const sign = next.exec(text)?.groups?.["next"] ?? "";
    const isMember = previous === ".";
    previous = name;
    if (sign === "(" && !keywords.has(name) && !pureFunctions.has(name)) {
      found.add(
        `${name}() is not allowed: it may read data from the agent's machine, or its result may change between plans; use a pure function`,
      );
    }
    // Object keys may have any name.
    const isKey = sign === "=" || sign === ":";
    if (!isMember && !isKey && deniedRoots.has(name)) {
      found.add(`references to ${name} are not allowed; refer to variables, locals and resources in the configuration`);
    }
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const matched = pattern.exec(text)?.[0];
    if (matched !== undefined) at += matched.length;
    return matched;
  };
  return {
    isDone: () => at >= text.length,
    step(): void {
      const mode = modes.at(-1) as Mode;
      if (mode.kind === "text") stepText(mode.isQuoted);
      else stepExpression(mode);
    },
    findings(): readonly string[] {
      if (modes.length > 1) found.add("a template is not closed; write $${ or %%{ for a literal ${ or %{");
      return [...found];
    },
  };
}
