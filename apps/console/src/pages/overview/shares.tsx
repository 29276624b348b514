import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { readable, type Tone } from "../../design/phase.ts";

/** Shows the distribution of items over states as a stacked bar, with links to the filtered lists. */
export function Shares(props: {
  readonly label: string;
  /** The path of the list that the states link to. */
  readonly to: string;
  readonly total: number;
  readonly parts: readonly { readonly word: string; readonly count: number; readonly tone: Tone }[];
}): ReactNode {
  return (
    <div>
      <div className="cw-share">
        <Link className="cw-link" to={props.to}>
          {props.label} <span className="cw-muted cw-num">{props.total.toLocaleString("en")}</span>
        </Link>
        <span className="cw-legend">
          {props.total === 0 && <span>none</span>}
          {props.parts.map(({ word, count, tone }) => (
            <Link key={word} className="cw-link" data-tone={tone} to={props.to} search={{ filter: word } as never}>
              <i />
              {readable(word)} <b className="cw-num">{count.toLocaleString("en")}</b>
            </Link>
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
