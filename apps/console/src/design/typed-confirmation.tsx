import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";

/** Requires the user to type a name before an irreversible action. */
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
