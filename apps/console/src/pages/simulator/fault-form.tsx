import { Autocomplete, Button, NumberInput, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { findCloudView } from "../../clouds/registry.ts";
import { useProject } from "../../data/project.ts";
import { useLocations } from "../../data/use-locations.ts";
import { FaultNote, Panel } from "../../design/layout.tsx";
import { toast } from "../../design/toasts.tsx";

const kinds = [
  { value: "error", label: "The cloud returns an error" },
  { value: "slow", label: "The response is delayed" },
  { value: "crash", label: "The Terraform provider crashes" },
  { value: "hang", label: "No response" },
  { value: "lost_reply", label: "The request succeeds but the response is lost" },
  { value: "rubbish", label: "The response is malformed" },
];
const operations = ["create", "update", "delete", "read", "plan", "configure", "start", "validate", "import", "data"];

/** Renders a form that injects a simulated fault into matching calls. */
export function FaultForm({
  account,
  types,
  onDone,
}: {
  readonly account: string;
  readonly types: readonly string[];
  readonly onDone: () => Promise<void>;
}): ReactNode {
  const project = useProject();
  const { cloud } = useLocations().find("Account", account);
  const [kind, setKind] = useState("error");
  const [operation, setOperation] = useState("create");
  const [type, setType] = useState("");
  const [message, setMessage] = useState(() => findCloudView(cloud)?.sampleError ?? "internal error");
  const [delayMs, setDelay] = useState(5000);
  const [times, setTimes] = useState(1);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setError(undefined);
    try {
      await client.simulations.fail(project, account, {
        kind,
        operation,
        type,
        times,
        ...(kind === "error" ? { message } : {}),
        ...(kind === "slow" ? { delayMs } : {}),
      });
      toast("good", "The fault will occur on the next matching call");
      await onDone();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Panel title="Inject fault">
      <form className="cw-fields" onSubmit={(event) => void submit(event)}>
        <Select label="Fault" allowDeselect={false} data={kinds} value={kind} onChange={(value) => setKind(value ?? "error")} />
        <Select
          label="Call"
          allowDeselect={false}
          data={operations}
          value={operation}
          onChange={(value) => setOperation(value ?? "create")}
        />
        <Autocomplete label="Resource type" placeholder="any" data={[...types]} value={type} onChange={setType} />
        {kind === "error" && (
          <TextInput
            label="Error message"
            className="cw-double"
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
          />
        )}
        {kind === "slow" && (
          <NumberInput
            label="Delay in milliseconds"
            min={1}
            max={3_600_000}
            value={delayMs}
            onChange={(value) => setDelay(Number(value))}
          />
        )}
        <NumberInput
          label="Number of times"
          min={1}
          max={1_000_000}
          value={times}
          onChange={(value) => setTimes(Number(value))}
        />
        <Button type="submit" color="red" variant="light">
          Inject
        </Button>
      </form>
      <div style={{ marginTop: error === undefined ? 0 : 12 }}>
        <FaultNote error={error} />
      </div>
    </Panel>
  );
}
