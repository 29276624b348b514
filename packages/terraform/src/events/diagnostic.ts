import { findNumber, findText, isObject, objectOf, type ReadonlyJson, textOf } from "@cloudwright/platform";
import { present } from "../present.ts";

/** An error or warning that Terraform reports. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly summary: string;
  readonly detail: string;
  /** Address of the affected resource or module. */
  readonly address?: string;
  /** Path relative to the working directory. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The configuration line that caused the problem. */
  readonly code?: string;
}

/** Reads a diagnostic from an event or from `validate`. Returns undefined if the value is not a diagnostic. */
export function readDiagnostic(value: ReadonlyJson | undefined): Diagnostic | undefined {
  if (!isObject(value)) return undefined;
  const summary = findText(value["summary"]) ?? findText(value["detail"]);
  if (summary === undefined) return undefined;
  const range = objectOf(value["range"]);
  const start = objectOf(range["start"]);
  return {
    severity: value["severity"] === "warning" ? "warning" : "error",
    summary,
    detail: textOf(value["detail"]),
    ...present<Diagnostic>({
      address: findText(value["address"]),
      file: findText(range["filename"]),
      line: findNumber(start["line"]),
      column: findNumber(start["column"]),
      code: findText(objectOf(value["snippet"])["code"])?.trim(),
    } as Diagnostic),
  };
}

/** Renders a diagnostic on one line: the problem, the resource and the position. */
export function describeDiagnostic(diagnostic: Diagnostic): string {
  const { summary, detail, address, file, line } = diagnostic;
  const about = address === undefined ? "" : `${address}: `;
  const where = file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`;
  const text = detail === "" || detail === summary ? summary : `${summary}: ${detail}`;
  return `${about}${text.replaceAll(/\s+/g, " ").trim()}${where}`;
}
