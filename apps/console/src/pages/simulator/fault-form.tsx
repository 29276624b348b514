import { Autocomplete, Button, NumberInput, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useProject } from "../../data/project.ts";
import { FaultNote, Panel } from "../../design/layout.tsx";
import { toast } from "../../design/toasts.tsx";

const kinds = [
  { value: "error", label: "The cloud answers with an error" },
  { value: "slow", label: "The answer comes late" },
  { value: "crash", label: "The provider crashes" },
  { value: "hang", label: "No answer ever comes" },
  { value: "lost_reply", label: "It is done, but the answer is lost" },
  { value: "rubbish", label: "The answer is rubbish" },
];
const operations = ["create", "update", "delete", "read", "plan", "configure", "start", "validate", "import", "data"];

/** Plans that something goes wrong, at a stated call. */
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
  const [kind, setKind] = useState("error");
  const [operation, setOperation] = useState("create");
  const [type, setType] = useState("");
  const [message, setMessage] = useState("InsufficientInstanceCapacity: no room in this zone");
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
      toast("good", "It will go wrong at the next such call");
      await onDone();
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Panel title="Inject a fault">
      <form className="cw-fields" onSubmit={(event) => void submit(event)}>
        <Select
          label="What goes wrong"
          allowDeselect={false}
          data={kinds}
          value={kind}
          onChange={(value) => setKind(value ?? "error")}
        />
        <Select
          label="At which call"
          allowDeselect={false}
          data={operations}
          value={operation}
          onChange={(value) => setOperation(value ?? "create")}
        />
        <Autocomplete label="Of which type" placeholder="any" data={[...types]} value={type} onChange={setType} />
        {kind === "error" && (
          <TextInput
            label="What the cloud says"
            className="cw-double"
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
          />
        )}
        {kind === "slow" && (
          <NumberInput
            label="Milliseconds"
            min={1}
            max={3_600_000}
            value={delayMs}
            onChange={(value) => setDelay(Number(value))}
          />
        )}
        <NumberInput label="How often" min={1} max={1_000_000} value={times} onChange={(value) => setTimes(Number(value))} />
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
