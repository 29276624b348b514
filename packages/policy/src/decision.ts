/** How much a rule matters: `must` denies, `should` warns, `may` only tells. */
export const severities = ["must", "should", "may"] as const;
export type Severity = (typeof severities)[number];

/** One thing that a rule has to say about a subject. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  /** What is wrong, for the person who asked. */
  readonly message: string;
  /** Where: `spec.endpoint.publicCidrs`, or the address of a resource; empty for the whole. */
  readonly path: string;
  /** What can be done about it. */
  readonly fix: string;
  /** The rule could not be evaluated; that counts as broken. */
  readonly isError: boolean;
}

/** What the rules say of a subject. Findings are in one order, whatever order the rules had. */
export interface Decision {
  readonly outcome: "allowed" | "warned" | "denied";
  readonly findings: readonly Finding[];
}

/** Sums findings up. */
export function concludeFrom(findings: readonly Finding[]): Decision {
  const has = (severity: Severity): boolean => findings.some((finding) => finding.severity === severity);
  const outcome = has("must") ? "denied" : has("should") ? "warned" : "allowed";
  return { outcome, findings: findings.toSorted(inOrder) };
}

/** A finding in one line, for conditions, events and problems. */
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

// By code unit: a locale would make the order depend on the machine.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
