import { Button, Modal } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useProject } from "../../data/project.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Note } from "../../design/layout.tsx";

/** Shows the command for fetching a cluster's kubeconfig and offers a download. The kubeconfig itself is never displayed. */
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
            label="Command"
            text={`npx cloud k8s kubeconfig ${name}${where} --file ${name}.kubeconfig\nkubectl --kubeconfig ${name}.kubeconfig get nodes`}
          />
          <Note tone="warn">
            <p>The kubeconfig contains a credential that expires after one hour. Every download is audited.</p>
          </Note>
          <FaultNote error={error} />
          <div>
            <Button onClick={() => void save()}>Download kubeconfig</Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
