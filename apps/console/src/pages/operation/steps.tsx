import type { OperationStepJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { readable, toneOf } from "../../design/phase.ts";
import { describeDuration } from "../../design/time.tsx";

/** The steps of an operation side by side. */
export function Steps({ steps }: { readonly steps: readonly OperationStepJson[] }): ReactNode {
  if (steps.length === 0) return <span className="cw-muted">accepted; nobody has begun yet</span>;
  return (
    <div className="cw-steps" role="list" tabIndex={0} aria-label="Steps">
      {steps.map((step) => (
        <div key={step.name} className="cw-step" data-tone={toneOf(step.state ?? "", true)} role="listitem">
          <strong>{step.name}</strong>
          <span className="cw-muted">
            {readable(step.state ?? "")}
            {took(step)}
          </span>
          {step.state !== "DONE" && step.message !== undefined && step.message !== "" && (
            <div className="cw-small">{step.message}</div>
          )}
        </div>
      ))}
    </div>
  );
}

function took({ startedAt, endedAt }: OperationStepJson): string {
  return startedAt === undefined || endedAt === undefined || startedAt === endedAt
    ? ""
    : ` · ${describeDuration(Date.parse(endedAt) - Date.parse(startedAt))}`;
}
