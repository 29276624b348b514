import { Autocomplete, Button, Checkbox, Modal } from "@mantine/core";
import type { AnyEntity, EntityByKind, Stored } from "@cloudwright/api-client";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { pathOf } from "../../data/paths.ts";
import { useProject } from "../../data/project.ts";
import { useProbe, type Probe } from "../../preflight/use-probe.ts";
import { FaultNote, Note } from "../../design/layout.tsx";
import { Findings } from "../../preflight/findings.tsx";
import { kubernetesVersions, listSteps, minorOf } from "./kubernetes-versions.ts";
import { PreviewList } from "../../preflight/preview-list.tsx";
import { isObstacle } from "../../preflight/assess-probe.ts";
import { Warnings } from "../../preflight/warnings.tsx";

const removedApis = "deployer.removed_apis";

/** Upgrades a cluster after previewing the changes to infrastructure, nodes and add-ons. */
export function UpgradeDialog({
  entity,
  onClose,
}: {
  readonly entity: Stored<AnyEntity>;
  readonly onClose: () => void;
}): ReactNode {
  const project = useProject();
  const navigate = useNavigate();
  const { name } = entity.metadata;
  const { spec, status } = entity as EntityByKind["Cluster"];
  const running = status?.version || spec?.version || "";
  const later = kubernetesVersions.filter((each) => minorOf(each) > minorOf(running));
  const [version, setVersion] = useState(later.at(-1) ?? "");
  const [isAllowed, setAllowed] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const resource = client.resource("Cluster", { project });
  const probe = useProbe(
    (onWarning) =>
      resource.act(name, "preview", { body: { spec: { version } }, replayable: false, onWarning }) as Promise<Stored<AnyEntity>>,
  );
  const steps = listSteps(running, version);
  const obstacles = (probe.status?.findings ?? []).filter(isObstacle);
  const isRemoving = obstacles.some(({ code }) => code === removedApis);
  const isHindered = obstacles.some(({ code }) => code !== removedApis) || (isRemoving && !isAllowed);
  const isKnown = probe.state === "done" || probe.state === "failed";
  const choose = (chosen: string): void => {
    setVersion(chosen);
    setAllowed(false);
    probe.reset();
  };
  const upgrade = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const body = { version, allow: isAllowed ? ["removed-apis"] : [] };
      const { metadata } = await resource.act(name, "upgrade", { body });
      onClose();
      if (metadata.operation !== undefined && metadata.operation !== "")
        await navigate({ to: pathOf(project, "operations", metadata.operation) });
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isKnown && !isHindered) void upgrade();
    else if (!isKnown) probe.begin();
  };
  return (
    <Modal opened onClose={onClose} title={`Upgrade ${name}`} size="lg">
      <form className="cw-stack" onSubmit={submit}>
        <span>
          {running !== "" && `Current version: ${running}. `}The control plane is upgraded first, then the nodes and the managed
          add-ons. A downgrade is not possible.
        </span>
        <Autocomplete
          label="Kubernetes version"
          description={
            later.length === 0 ? "No later version is known. Enter a version." : "Only versions later than the current one"
          }
          data-autofocus
          data={later}
          value={version}
          error={version !== "" && running !== "" && steps.length === 0 ? `must be later than ${running}` : undefined}
          onChange={choose}
        />
        {steps.length > 1 && (
          <Note tone="busy">
            <p>
              One operation upgrades one minor version at a time: {minorOf(running) === 0 ? running : `1.${minorOf(running)}`} →{" "}
              {steps.join(" → ")}. The preview below covers all of them.
            </p>
          </Note>
        )}
        <div className="cw-stack" role="status">
          <ProbeResult probe={probe} />
        </div>
        {isRemoving && (
          <Checkbox
            label="Upgrade even if objects use APIs that this version removes"
            description="After the upgrade, clients that still use the removed APIs will fail."
            checked={isAllowed}
            onChange={(event) => setAllowed(event.currentTarget.checked)}
          />
        )}
        <FaultNote error={error} />
        <div className="cw-row" style={{ justifyContent: "flex-end" }}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {isKnown ? (
            <Button type="submit" loading={isBusy} disabled={isHindered}>
              Upgrade to {version}
            </Button>
          ) : (
            <Button type="submit" loading={probe.state === "busy"} disabled={steps.length === 0}>
              Preview changes
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}

function ProbeResult({ probe }: { readonly probe: Probe }): ReactNode {
  const { state, status, error, warnings } = probe;
  if (state === "idle") return null;
  if (state === "busy") return <span className="cw-muted">{status?.message ?? "Planning…"}</span>;
  if (error !== undefined) return <FaultNote error={error} />;
  if (state === "failed")
    return (
      <Note tone="warn">
        <p>The preview failed: {status?.message}</p>
      </Note>
    );
  const findings = status?.findings ?? [];
  return (
    <>
      <Warnings of={warnings} />
      {findings.length > 0 && <Findings of={findings} />}
      <PreviewList of={status?.preview ?? []} />
    </>
  );
}
