import type { ReactNode } from "react";
import { readable, type Tone } from "../../design/phase.ts";

/** How a number of things is divided, as one bar and in words. */
export function Shares(props: {
  readonly label: ReactNode;
  readonly total: number;
  readonly parts: readonly { readonly word: string; readonly count: number; readonly tone: Tone }[];
}): ReactNode {
  return (
    <div>
      <div className="cw-row" style={{ justifyContent: "space-between", marginBottom: 6 }}>
        <span style={{ fontWeight: 560, minWidth: 80 }}>{props.label}</span>
        <span className="cw-legend">
          {props.total === 0 && <span>none yet</span>}
          {props.parts.map(({ word, count, tone }) => (
            <span key={word} data-tone={tone}>
              <i />
              {readable(word)} <b className="cw-num">{count.toLocaleString("en")}</b>
            </span>
          ))}
        </span>
      </div>
      <div className="cw-bar" aria-hidden="true">
        {props.parts.map(({ word, count, tone }) => (
          <i key={word} data-tone={tone} style={{ flexGrow: count, flexBasis: 0 }} />
        ))}
      </div>
    </div>
  );
}
