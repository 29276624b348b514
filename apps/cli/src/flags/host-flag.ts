import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";
import type { RecordFlag } from "./record-flags.ts";

/** Fields of a host that the flag sets directly. */
const plain = ["name", "address", "user", "mac"] as const;
/** Fields of a host's management controller, keyed by their name in the flag. */
const controller: Readonly<Record<string, string>> = {
  bmc: "address",
  "bmc-user": "user",
  "bmc-system": "system",
  "bmc-fingerprint": "fingerprint",
};
const allowed = [...plain, "port", "host-key", "label.KEY", ...Object.keys(controller)].join(", ");

/** Creates a flag that adds a host to an inventory in short form, such as `--host name=node-1,address=192.0.2.11,label.disk=ssd`. */
export function createHostFlag(): RecordFlag {
  return {
    name: "host",
    placeholder: "<host>",
    description: `add a host: name=node-1,address=192.0.2.11,... Fields: ${allowed}. host-key can be repeated. Certificates of management controllers that a private authority signed need a file (-f). Can be repeated. In an update, the given hosts replace all others.`,
    field: "hosts",
    parse: parseHost,
  };
}

function parseHost(text: string): object {
  const host: Record<string, unknown> = {};
  const [labels, bmc, hostKeys]: [Record<string, string>, Record<string, string>, string[]] = [{}, {}, []];
  for (const pair of text.split(",")) {
    const equals = pair.indexOf("=");
    const [key, value] = [pair.slice(0, Math.max(equals, 0)), pair.slice(equals + 1)];
    if (value === "") throw usage(text, `"${pair}" is not field=value`);
    if (key.startsWith("label.") && key !== "label.") labels[key.slice("label.".length)] = value;
    else if (controller[key] !== undefined) bmc[controller[key]] = value;
    else if (key === "host-key") hostKeys.push(value);
    else if (key === "port" && /^[0-9]{1,5}$/.test(value)) host["port"] = Number(value);
    else if ((plain as readonly string[]).includes(key)) host[key] = value;
    else throw usage(text, `"${pair}" is not one of ${allowed}`);
  }
  if (host["name"] === undefined || host["address"] === undefined) throw usage(text, "name and address are required");
  return {
    ...host,
    ...(hostKeys.length === 0 ? {} : { hostKeys }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(bmc).length === 0 ? {} : { bmc }),
  };
}

function usage(text: string, problem: string): Fault {
  return new Fault(cliFaults.usage, `--host "${text}": ${problem}, for example name=node-1,address=192.0.2.11`);
}
