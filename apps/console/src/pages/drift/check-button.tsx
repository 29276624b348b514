import { Button } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useProject } from "../../data/project.ts";
import { Icon } from "../../design/icons.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";

const concurrent = 6;

/** Renders a button that starts a drift check for each given entity. The results appear as the checks finish. */
export function CheckButton({ uids, size = "xs" }: { readonly uids: readonly string[]; readonly size?: "xs" | "sm" }): ReactNode {
  const project = useProject();
  const [isBusy, setBusy] = useState(false);
  const check = async (): Promise<void> => {
    setBusy(true);
    const queue = [...uids];
    const work = async (): Promise<void> => {
      for (let uid = queue.shift(); uid !== undefined; uid = queue.shift()) await client.drifts.check(project, uid);
    };
    try {
      await Promise.all(Array.from({ length: concurrent }, work));
      toast("good", uids.length === 1 ? "Checking for drift" : `Checking ${uids.length.toLocaleString("en")} entities for drift`);
    } catch (fault) {
      toastFault(fault);
    }
    setBusy(false);
  };
  return (
    <Button
      size={size}
      variant="default"
      loading={isBusy}
      disabled={uids.length === 0}
      onClick={() => void check()}
      leftSection={<Icon name="drift" size={14} />}
    >
      Check now
    </Button>
  );
}
