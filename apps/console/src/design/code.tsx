import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";

/** Renders a block of text with a copy button. */
export function CodeBlock({
  text,
  label,
  tall = false,
}: {
  readonly text: string;
  readonly label: string;
  readonly tall?: boolean;
}): ReactNode {
  return (
    <div>
      <div className="cw-row" style={{ justifyContent: "space-between", marginBottom: 6 }}>
        <span className="cw-muted cw-small">{label}</span>
        <CopyButton text={text} />
      </div>
      <pre className="cw-code" style={{ maxHeight: tall ? 560 : 300 }} tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </div>
  );
}

function CopyButton({ text, children = "Copy" }: { readonly text: string; readonly children?: ReactNode }): ReactNode {
  const { copied, copy } = useClipboard({ timeout: 1500 });
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<Icon name={copied ? "check" : "copy"} size={13} />}
      onClick={() => copy(text)}
    >
      {copied ? "Copied" : children}
    </Button>
  );
}
