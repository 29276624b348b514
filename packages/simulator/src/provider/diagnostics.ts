import type { Problem } from "./definition.ts";
import type { Path } from "./find-replacements.ts";

/** A diagnostic as it travels. */
export interface WireDiagnostic {
  readonly severity: number;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: WirePath;
}

/** A place as it travels. */
export interface WirePath {
  readonly steps: ({ attribute_name: string } | { element_key_int: number })[];
}

/** Problems as diagnostics. */
export function toDiagnostics(problems: readonly Problem[]): WireDiagnostic[] {
  return problems.map(({ severity, summary, detail = "", path }) => ({
    severity: severity === "warning" ? 2 : 1,
    summary,
    detail,
    ...(path === undefined ? {} : { attribute: toWirePath(path) }),
  }));
}

/** A path whose text steps are attributes and whose numbers are places in a list. */
export function toWirePath(path: Path): WirePath {
  return { steps: path.map((step) => (typeof step === "string" ? { attribute_name: step } : { element_key_int: step })) };
}
