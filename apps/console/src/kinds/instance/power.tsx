import { Button } from "@mantine/core";
import type { AnyEntity, EntityByKind, Stored } from "@cloudwright/api-client";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { Icon } from "../../design/icons.tsx";
import { FaultNote } from "../../design/layout.tsx";

/** Renders the button that stops or starts an instance. */
export function Power({ entity }: { readonly entity: Stored<AnyEntity> }): ReactNode {
  const isRunning = (entity as EntityByKind["Instance"]).spec?.running !== false;
  const project = useProject();
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const change = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { metadata } = await client.instances.patch(project, entity.metadata.name, { spec: { running: !isRunning } });
      if (metadata.operation !== undefined && metadata.operation !== "")
        await navigate({ to: pathOf(project, "operations", metadata.operation) });
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={isRunning ? "pause" : "run"} size={16} />}
        loading={isBusy}
        onClick={() => void change()}
      >
        {isRunning ? "Stop" : "Start"}
      </Button>
      <FaultNote error={error} />
    </>
  );
}
