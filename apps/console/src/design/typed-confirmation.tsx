import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";

/** Asks for a name to be typed before something that cannot be taken back. */
export function TypedConfirmation(props: {
  readonly phrase: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
}): ReactNode {
  return (
    <TextInput
      label={
        <>
          Type <code>{props.phrase}</code> to confirm
        </>
      }
      aria-label="Confirmation"
      data-autofocus
      autoComplete="off"
      value={props.typed}
      onChange={(event) => props.onType(event.currentTarget.value)}
    />
  );
}
