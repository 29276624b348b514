import type { Problem } from "./definition.ts";
import type { Path } from "./find-replacements.ts";

/** A diagnostic in the wire format. */
export interface WireDiagnostic {
  readonly severity: number;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: WirePath;
}

/** An attribute path in the wire format. */
export interface WirePath {
  readonly steps: ({ attribute_name: string } | { element_key_int: number })[];
}

/** Converts problems to diagnostics. */
export function toDiagnostics(problems: readonly Problem[]): WireDiagnostic[] {
  return problems.map(({ severity, summary, detail = "", path }) => ({
    severity: severity === "warning" ? 2 : 1,
    summary,
    detail,
    ...(path === undefined ? {} : { attribute: toWirePath(path) }),
  }));
}

/** Converts a path to the wire format: strings become attribute names, numbers become list indexes. */
export function toWirePath(path: Path): WirePath {
  return { steps: path.map((step) => (typeof step === "string" ? { attribute_name: step } : { element_key_int: step })) };
}
