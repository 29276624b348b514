import "./logs.css";
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { logsQuery } from "../../data/queries.ts";
import { parseAnsi } from "../../design/ansi.ts";
import { FaultNote, Panel } from "../../design/layout.tsx";
import { findMatches } from "./find-matches.ts";
import { LogLine } from "./log-line.tsx";
import type { TaskRef } from "./list-tasks.ts";
import { LogActions, LogSearch } from "./log-tools.tsx";

const lineHeight = 20;
const padding = 6;
/** Logs with at most this many lines are rendered without virtualization. */
const fewLines = 300;

/** Shows the log of one task. The view follows the end of the log until the user scrolls up. */
export function Logs({
  project,
  tasks,
  isOver,
}: {
  readonly project: string;
  readonly tasks: readonly TaskRef[];
  readonly isOver: boolean;
}): ReactNode {
  const [chosen, setChosen] = useState<string | null>(null);
  const [word, setWord] = useState("");
  const [looking, setLooking] = useState(0);
  const [isFollowing, setFollowing] = useState(true);
  const newest = tasks.findLast(({ state }) => state === "RUNNING" || state === "FAILED") ?? tasks.at(-1);
  const task = tasks.find(({ uid }) => uid === chosen) ?? newest;
  const { data: lines = [], error } = useQuery({
    ...logsQuery(project, task?.uid ?? ""),
    refetchInterval: isOver ? false : 1000,
  });
  const texts = useMemo(() => lines.map(({ line = "" }) => plainOf(line)), [lines]);
  const matches = useMemo(() => findMatches(texts, word), [texts, word]);
  const starts = useMemo(() => Map.groupBy(matches, ({ line }) => line), [matches]);
  const place = matches.length === 0 ? 0 : Math.min(looking, matches.length - 1);
  const current = matches[place];
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
    paddingStart: padding,
    paddingEnd: padding,
  });
  const shown =
    lines.length <= fewLines
      ? lines.map((_, index) => ({ index, key: index, start: padding + index * lineHeight }))
      : virtual.getVirtualItems();
  useEffect(() => {
    if (isFollowing && word === "" && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: "end" });
  }, [lines.length, virtual, isFollowing, word]);
  useEffect(() => {
    if (current !== undefined) virtual.scrollToIndex(current.line, { align: "center" });
    // Scrolls only when the current match changes, not when new lines arrive.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [current?.line, current?.at, virtual]);
  if (task === undefined) return null;
  return (
    <Panel
      title="Log"
      flush
      actions={
        <>
          <LogSearch
            word={word}
            count={matches.length}
            place={place}
            onWord={(text) => {
              setWord(text);
              setLooking(0);
            }}
            onStep={(step) => setLooking((place + step + matches.length) % Math.max(1, matches.length))}
          />
          <Select
            size="xs"
            w={150}
            aria-label="Task"
            allowDeselect={false}
            data={tasks.map(({ uid, name }) => ({ value: uid, label: name }))}
            value={task.uid}
            onChange={setChosen}
          />
          <LogActions
            name={`${task.name}.log`}
            text={() => lines.map(({ at = "" }, index) => `${at} ${texts[index] ?? ""}\n`).join("")}
            isFollowing={isFollowing}
            onFollow={() => {
              setFollowing(!isFollowing);
              if (!isFollowing) setWord("");
            }}
          />
        </>
      }
    >
      <FaultNote error={error} />
      <div
        className="cw-log"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-label="Log"
        aria-live="off"
        onWheel={({ deltaY }) => deltaY < 0 && setFollowing(false)}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          if (word === "" && scrollTop + clientHeight > scrollHeight - lineHeight) setFollowing(true);
        }}
        onKeyDown={({ key }) => ["ArrowUp", "PageUp", "Home"].includes(key) && setFollowing(false)}
      >
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {shown.map(({ index, start, key }) => (
            <LogLine
              key={key}
              line={lines[index] ?? {}}
              top={start}
              starts={(starts.get(index) ?? []).map(({ at }) => at)}
              wordLength={word.length}
              current={current?.line === index ? current : undefined}
            />
          ))}
          {lines.length === 0 && <div className="cw-line">No output yet.</div>}
        </div>
      </div>
    </Panel>
  );
}

function plainOf(line: string): string {
  return parseAnsi(line)
    .map(({ text }) => text)
    .join("");
}
