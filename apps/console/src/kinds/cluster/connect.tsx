import { Button, Modal } from "@mantine/core";
import { findCloud } from "@cloudwright/contract/clouds";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import type { EntityLocation } from "../../data/locations.ts";
import { useProject } from "../../data/project.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { FaultNote, Note, Prose } from "../../design/layout.tsx";

/**
 * Shows the commands for fetching a cluster's kubeconfig and offers a download. The kubeconfig itself is never displayed. For real
 * clusters, also shows how kubectl can fetch tokens with the user's own cloud identity.
 */
export function Connect({
  name,
  where: { cloud, simulated },
}: {
  readonly name: string;
  readonly where: EntityLocation;
}): ReactNode {
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
  const title = findCloud(cloud)?.title ?? cloud;
  const plugIn = findCloud(cloud)?.kubeconfig;
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
          {plugIn !== undefined && (
            <section aria-label={`With your own ${title} identity`} className="cw-stack" style={{ gap: 8 }}>
              <h3 style={{ margin: 0, fontSize: 14, fontWeight: 620 }}>With your own {title} identity</h3>
              {simulated ? (
                <span className="cw-muted cw-small">
                  Not available for simulated clusters. In a real account, kubectl fetches tokens with{" "}
                  <code>{plugIn.command}</code>.
                </span>
              ) : (
                <>
                  <CodeBlock
                    label={`kubectl fetches tokens with ${plugIn.command}`}
                    text={`npx cloud k8s kubeconfig ${name}${where} --exec ${plugIn.command} --file ${name}.kubeconfig`}
                  />
                  <span className="cw-muted cw-small">
                    The file contains no credential. <Prose of={plugIn.installHint ?? ""} />
                  </span>
                </>
              )}
            </section>
          )}
        </div>
      </Modal>
    </>
  );
}
