/** Severity of a violation: `must` denies, `should` warns, `may` only informs. */
export const severities = ["must", "should", "may"] as const;
export type Severity = (typeof severities)[number];

/** A violation that a rule reports for a subject. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** What is wrong, addressed to the user who sent the request. */
  readonly message: string;
  /** The affected field, such as `spec.endpoint.publicCidrs`, or a resource address. Empty if the finding concerns the whole subject. */
  readonly path: string;
  /** How the user can fix the violation. */
  readonly fix: string;
  /** True if the rule could not be evaluated, which counts as a violation. */
  readonly isError: boolean;
}

/** The result of evaluating all rules. The order of the findings does not depend on the order of the rules. */
export interface Decision {
  readonly outcome: "allowed" | "warned" | "denied";
  readonly findings: readonly Finding[];
}

export function concludeFrom(findings: readonly Finding[]): Decision {
  const has = (severity: Severity): boolean => findings.some((finding) => finding.severity === severity);
  const outcome = has("must") ? "denied" : has("should") ? "warned" : "allowed";
  return { outcome, findings: findings.toSorted(inOrder) };
}

/** Renders a finding as one line for conditions, events and error responses. */
export function describeFinding({ rule, message, path, fix }: Finding): string {
  return `${path === "" ? "" : `${path}: `}${message} (${rule})${fix === "" ? "" : `. ${fix}`}`;
}

function inOrder(a: Finding, b: Finding): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    compare(a.rule, b.rule) ||
    compare(a.path, b.path) ||
    compare(a.message, b.message)
  );
}

// Compares by code unit, because a locale-aware order would depend on the machine.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
