import { ActionIcon, TextInput, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Icon, type IconName } from "../../design/icons.tsx";

/** Renders the search field of a log, with the number of matches and buttons to move between them. */
export function LogSearch(props: {
  readonly word: string;
  readonly count: number;
  readonly place: number;
  readonly onWord: (word: string) => void;
  readonly onStep: (step: 1 | -1) => void;
}): ReactNode {
  const { word, count, place } = props;
  return (
    <div className="cw-log-search">
      <TextInput
        size="xs"
        w={190}
        placeholder="Search"
        aria-label="Search the log"
        leftSection={<Icon name="search" size={13} />}
        rightSectionWidth={58}
        rightSection={
          word !== "" && (
            <span className="cw-muted cw-num cw-log-count" role="status">
              {count === 0 ? "none" : `${place + 1} of ${count}`}
            </span>
          )
        }
        value={word}
        onChange={(event) => props.onWord(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") props.onStep(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") props.onWord("");
        }}
      />
      <Tool name="above" label="Previous match" isOff={count === 0} onClick={() => props.onStep(-1)} />
      <Tool name="down" label="Next match" isOff={count === 0} onClick={() => props.onStep(1)} />
    </div>
  );
}

/** Renders the buttons to follow, copy and download a log. */
export function LogActions(props: {
  readonly name: string;
  readonly text: () => string;
  readonly isFollowing: boolean;
  readonly onFollow: () => void;
}): ReactNode {
  const { copied, copy } = useClipboard({ timeout: 1500 });
  return (
    <div className="cw-log-search">
      <Tool name="end" label="Follow" isOn={props.isFollowing} onClick={props.onFollow} />
      <Tool name={copied ? "check" : "copy"} label={copied ? "Copied" : "Copy log"} onClick={() => copy(props.text())} />
      <Tool name="save" label="Download log" onClick={() => save(props.name, props.text())} />
    </div>
  );
}

function Tool(props: {
  readonly name: IconName;
  readonly label: string;
  readonly isOn?: boolean;
  readonly isOff?: boolean;
  readonly onClick: () => void;
}): ReactNode {
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        variant={props.isOn === true ? "light" : "default"}
        size={30}
        aria-label={props.label}
        aria-pressed={props.isOn}
        disabled={props.isOff === true}
        onClick={props.onClick}
      >
        <Icon name={props.name} size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
