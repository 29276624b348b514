import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

const most = 4;

/** Shows a bar chart with the count for each word. Each bar links to the list filtered by its word. */
export function BarList(props: {
  readonly title: string;
  readonly of: readonly (readonly [word: string, count: number])[];
  /** The path of the list that the bars link to. */
  readonly to: string;
}): ReactNode {
  const largest = Math.max(1, ...props.of.map(([, count]) => count));
  const rest = props.of.length - most;
  return (
    <div className="cw-bars">
      <h3>{props.title}</h3>
      {props.of.length === 0 && <span className="cw-muted">–</span>}
      {props.of.slice(0, most).map(([word, count]) => (
        <Link key={word} className="cw-measure" to={props.to} search={{ filter: word } as never}>
          <span>{word}</span>
          <i aria-hidden="true">
            <i style={{ width: `${(count / largest) * 100}%` }} />
          </i>
          <b className="cw-num">{count.toLocaleString("en")}</b>
        </Link>
      ))}
      {rest > 0 && (
        <Link to={props.to} className="cw-more">
          and {rest} more
        </Link>
      )}
    </div>
  );
}
