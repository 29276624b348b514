import { Button } from "@mantine/core";
import type { FindingJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { Note } from "../../design/layout.tsx";
import { isObstacle } from "./weigh-look.ts";

/** What a look ahead found, the worst first: what, what to do, and the way to the field that it is about. */
export function Findings(props: {
  readonly of: readonly FindingJson[];
  /** What a form calls a field; without one there is no way to it. */
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
                  {help} {rule !== "" && <>Policy: {rule}</>}
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
