import type { TaskLogLineJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { parseAnsi, type Span } from "../../design/ansi.ts";
import { clockTime } from "../../design/time.tsx";
import { cutAtMatches, type Match } from "./find-matches.ts";

/** Renders a log line with its time, colours and highlighted search matches. */
export function LogLine(props: {
  readonly line: TaskLogLineJson;
  readonly top: number;
  readonly starts: readonly number[];
  readonly wordLength: number;
  /** The selected match, if it is in this line. */
  readonly current: Match | undefined;
}): ReactNode {
  const { line, top, starts, wordLength, current } = props;
  let from = 0;
  const pieces = parseAnsi(line.line ?? "").flatMap(({ text, paint }: Span) => {
    const cut = cutAtMatches(text, from, starts, wordLength);
    from += text.length;
    return cut.map((piece) => ({ ...piece, paint }));
  });
  return (
    <div className="cw-line" data-current={current !== undefined} style={{ transform: `translateY(${top}px)` }}>
      <time dateTime={line.at}>{clockTime(line.at)}</time>
      <span>
        {pieces.map(({ text, paint, match }, place) =>
          match === undefined ? (
            <span key={place} className={paint}>
              {text}
            </span>
          ) : (
            <mark key={place} data-current={current?.at === match}>
              {text}
            </mark>
          ),
        )}
      </span>
    </div>
  );
}
