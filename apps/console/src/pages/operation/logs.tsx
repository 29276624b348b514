import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { logsQuery } from "../../data/queries.ts";
import { parseAnsi } from "../../design/ansi.ts";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Panel } from "../../design/layout.tsx";
import { clockTime } from "../../design/time.tsx";

interface TaskRef {
  readonly uid: string;
  readonly name: string;
  readonly state: string;
}

const lineHeight = 20;
/** So few lines are drawn as they are. */
const fewLines = 300;

/** The log of one of an operation's tasks: follows its end until one scrolls away, and can be searched. */
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
  const [text, setText] = useState("");
  const newest = tasks.findLast(({ state }) => state === "RUNNING" || state === "FAILED") ?? tasks.at(-1);
  const task = chosen ?? newest?.uid ?? "";
  const { data = [], error } = useQuery({ ...logsQuery(project, task), refetchInterval: isOver ? false : 1000 });
  const lines = useMemo(
    () => (text === "" ? data : data.filter(({ line = "" }) => line.toLowerCase().includes(text.toLowerCase()))),
    [data, text],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const shown =
    lines.length <= fewLines
      ? lines.map((_, index) => ({ index, key: index, start: index * lineHeight }))
      : virtual.getVirtualItems();
  useEffect(() => {
    if (isAtEnd.current && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: "end" });
  }, [lines.length, virtual]);
  if (tasks.length === 0) return null;
  return (
    <Panel
      title="Log"
      flush
      actions={
        <>
          <TextInput
            size="xs"
            w={170}
            placeholder="Search"
            aria-label="Search the log"
            leftSection={<Icon name="search" size={13} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Select
            size="xs"
            w={150}
            aria-label="Task"
            allowDeselect={false}
            data={tasks.map(({ uid, name }) => ({ value: uid, label: name }))}
            value={task}
            onChange={setChosen}
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
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight > scrollHeight - 3 * lineHeight;
        }}
      >
        <div style={{ height: virtual.getTotalSize() + 12, position: "relative" }}>
          {shown.map(({ index, start, key }) => {
            const { at, line = "" } = lines[index] ?? {};
            return (
              <div key={key} className="cw-line" style={{ transform: `translateY(${start + 6}px)` }}>
                <time dateTime={at}>{clockTime(at)}</time>
                <span>
                  {parseAnsi(line).map((span, place) => (
                    <span key={place} className={span.paint}>
                      {text === "" ? span.text : mark(span.text, text)}
                    </span>
                  ))}
                </span>
              </div>
            );
          })}
          {lines.length === 0 && (
            <div className="cw-line">{text === "" ? "Nothing has been said yet." : "No line has that."}</div>
          )}
        </div>
      </div>
    </Panel>
  );
}

function mark(text: string, word: string): ReactNode {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  if (at === -1) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </>
  );
}
