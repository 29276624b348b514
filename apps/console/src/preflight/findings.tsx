import { Button } from "@mantine/core";
import type { FindingJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { Note, Prose } from "../design/layout.tsx";
import { isObstacle } from "./assess-probe.ts";

/** Lists findings, most severe first. Each shows the problem, what to do, and a link to the form field. */
export function Findings(props: {
  readonly of: readonly FindingJson[];
  /** Returns the label of a field, or undefined if the form has no such field. */
  readonly labelOf?: (field: string) => string | undefined;
  readonly onGo?: (field: string) => void;
}): ReactNode {
  const { of, labelOf, onGo } = props;
  const sorted = of.toSorted((a, b) => Number(isObstacle(b)) - Number(isObstacle(a)));
  return (
    <ul className="cw-stack" style={{ listStyle: "none", margin: 0, padding: 0 }} aria-label="Findings" data-testid="findings">
      {sorted.map((finding, index) => {
        const { field = "", message = "", help = "", rule = "" } = finding;
        const label = labelOf?.(field);
        return (
          <li key={index}>
            <Note tone={isObstacle(finding) ? "bad" : "warn"}>
              <p style={{ overflowWrap: "anywhere" }}>
                {label === undefined ? field !== "" && <code>{field}</code> : <b>{label}</b>} {message}
              </p>
              {(help !== "" || rule !== "") && (
                <p className="cw-muted cw-small">
                  <Prose of={help} /> {rule !== "" && <>Policy: {rule}</>}
                </p>
              )}
              {label !== undefined && onGo !== undefined && (
                <Button variant="default" size="compact-sm" mt={6} onClick={() => onGo(field)}>
                  Go to {label}
                </Button>
              )}
            </Note>
          </li>
        );
      })}
    </ul>
  );
}
