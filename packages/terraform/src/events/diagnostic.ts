import { isObject, numberOf, objectOf, present, textOf, type JsonValue } from "../json.ts";

/** What Terraform has to say about a trouble. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly summary: string;
  readonly detail: string;
  /** The resource, or the module, that it is about. */
  readonly address?: string;
  /** In the working directory. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The line of the configuration. */
  readonly code?: string;
}

/** Reads the diagnostic of an event or of `validate`; undefined when it is none. */
export function readDiagnostic(value: JsonValue | undefined): Diagnostic | undefined {
  if (!isObject(value)) return undefined;
  const summary = textOf(value["summary"]) ?? textOf(value["detail"]);
  if (summary === undefined) return undefined;
  const range = objectOf(value["range"]);
  const start = objectOf(range["start"]);
  return {
    severity: value["severity"] === "warning" ? "warning" : "error",
    summary,
    detail: textOf(value["detail"]) ?? "",
    ...present<Diagnostic>({
      address: textOf(value["address"]),
      file: textOf(range["filename"]),
      line: numberOf(start["line"]),
      column: numberOf(start["column"]),
      code: textOf(objectOf(value["snippet"])["code"])?.trim(),
    } as Diagnostic),
  };
}

/** A diagnostic in one line: what, about which resource, and where. */
export function describeDiagnostic(diagnostic: Diagnostic): string {
  const { summary, detail, address, file, line } = diagnostic;
  const about = address === undefined ? "" : `${address}: `;
  const where = file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`;
  const text = detail === "" || detail === summary ? summary : `${summary}: ${detail}`;
  return `${about}${text.replaceAll(/\s+/g, " ").trim()}${where}`;
}
