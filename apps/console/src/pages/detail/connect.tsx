import { Button, Modal } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useProject } from "../../data/project.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Note } from "../../design/layout.tsx";

/** How to reach a cluster: by command, or by a kubeconfig to keep. Nothing of it is shown; it goes into a file. */
export function Connect({ name }: { readonly name: string }): ReactNode {
  const project = useProject();
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async (): Promise<void> => {
    setError(undefined);
    try {
      const { kubeconfig = "" } = await client.clusters.kubeconfig(project, name);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([kubeconfig], { type: "application/yaml" }));
      link.download = `${name}.kubeconfig`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (fault) {
      setError(fault);
    }
  };
  const where = project === "default" ? "" : ` -p ${project}`;
  return (
    <>
      <Button variant="default" leftSection={<Icon name="access" size={16} />} onClick={() => setOpen(true)}>
        Connect
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Connect to ${name}`} size="lg">
        <div className="cw-stack">
          <CodeBlock
            label="By command"
            text={`npx cloud k8s kubeconfig ${name}${where} --file ${name}.kubeconfig\nkubectl --kubeconfig ${name}.kubeconfig get nodes`}
          />
          <Note tone="warn">
            <p>A kubeconfig holds a credential that works for an hour. Each that is given is on record.</p>
          </Note>
          <FaultNote error={error} />
          <div>
            <Button onClick={() => void save()}>Save a kubeconfig</Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
