import { ActionIcon, Button } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { Icon } from "./icons.tsx";

const patienceMs = 5000;

/** Requires a second click to run a destructive action. The first click expires after a few seconds. */
export function ConfirmButton({ label, onConfirm }: { readonly label: string; readonly onConfirm: () => void }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (!isAsking) return undefined;
    const timer = setTimeout(() => setAsking(false), patienceMs);
    return () => clearTimeout(timer);
  }, [isAsking]);
  if (isAsking)
    return (
      <Button size="compact-xs" color="red.9" autoFocus onClick={onConfirm}>
        {label}
      </Button>
    );
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={() => setAsking(true)}>
      <Icon name="trash" size={16} />
    </ActionIcon>
  );
}
