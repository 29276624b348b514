import { InvalidArgumentError, type Command } from "commander";

export function addStackArgument(command: Command): Command {
  return command.argument("<entity>", "KIND/NAME or uid of an entity; use the uid if the entity was deleted");
}

/** Adds the argument for the address of one resource. */
export function addAddressArgument(command: Command): Command {
  return command.argument("<address>", "address of the resource in the state, as listed by `cloud state resources`");
}

export function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Use a version number.");
  return Number(text);
}
