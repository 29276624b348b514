import { Fault, describeError } from "@cloudwright/platform/fault";
import { CommanderError } from "commander";
import { cliFaults } from "./faults.ts";
import type { Sink } from "./world.ts";

/** Prints an error: one line, then the invalid fields, then what to do. */
export function reportError(stderr: Sink, error: unknown): void {
  stderr.write(`${renderError(error).join("\n")}\n`);
}

/** Renders an error as lines for standard error, or for the comments in an edited file. */
export function renderError(error: unknown): string[] {
  if (error instanceof CommanderError) return renderUsage(error);
  if (!(error instanceof Fault)) return [`error: ${oneLine(describeError(error))}`];
  const request =
    error.kind === "internal" && error.extra["requestId"] !== undefined ? `, request ${error.extra["requestId"]}` : "";
  return [
    `error: ${oneLine(error.message)} (${error.code}${request})`,
    ...error.fields.map(({ field, message }) => `  ${field}: ${oneLine(message)}`),
    ...(helpOf(error) === "" ? [] : [`help: ${oneLine(helpOf(error))}`]),
  ];
}

/** Help texts that replace those written for API callers. */
const helpHere: Readonly<Record<string, string>> = {
  "api.unauthenticated": "Run `cloud login`, or set CLOUDWRIGHT_API_KEY.",
  "api.has_children": "Delete its children first, or add --cascade.",
  "api.protected": "Run `cloud update KIND NAME --no-deletion-protection` for the entities named above, then delete again.",
  "api.invalid": "Correct the fields listed above.",
};

function helpOf({ code, help }: Fault): string {
  return helpHere[code] ?? help;
}

/** Renders a usage error such as `error: unknown option '--x'`, with the parser's suggestion on a second line. */
function renderUsage(error: CommanderError): string[] {
  const [first = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint = suggestion === undefined ? "" : ` ${suggestion.replace("Did", "did")}`;
  return [`error: ${first}${hint} (${cliFaults.usage.code})`, `help: ${cliFaults.usage.help}`];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, (space) => (space.includes("\n") ? " " : space)).trim();
}
