import type { Diagnostic } from "./diagnostic.ts";

/**
 * Finds diagnostics in the plain text output of commands without `-json`. Each diagnostic starts with "Error: " or "Warning: ". The frame
 * around it is removed.
 */
export function readTextDiagnostics(text: string): Diagnostic[] {
  const lines = text.split("\n").map((line) => line.replace(/^[│╷╵]\s?/, "").trimEnd());
  const starts = lines.flatMap((line, index) => (/^(Error|Warning): /.test(line) ? [index] : []));
  return starts.map((start, index) => readBlock(lines.slice(start, starts[index + 1])));
}

function readBlock(lines: readonly string[]): Diagnostic {
  const [first = "", ...rest] = lines;
  const where = rest
    .map((line) => /^\s*on (?<file>\S+) line (?<line>\d+)/.exec(line)?.groups)
    .find((found) => found !== undefined);
  const address = rest
    .map((line) => /^\s+with (?<address>.+),$/.exec(line)?.groups?.["address"])
    .find((found) => found !== undefined);
  return {
    severity: first.startsWith("Warning") ? "warning" : "error",
    summary: first.slice(first.indexOf(" ") + 1),
    detail: rest.join("\n").trim(),
    ...(address === undefined ? {} : { address }),
    ...(where === undefined ? {} : { file: where["file"] as string, line: Number(where["line"]) }),
  };
}
