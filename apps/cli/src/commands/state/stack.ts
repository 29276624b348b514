import { InvalidArgumentError, type Command } from "commander";

/** Adds the argument that names a state. */
export function addStackArgument(command: Command): Command {
  return command.argument("<entity>", "KIND/NAME, or the uid of an entity, which may be gone");
}

/** A version on the command line. */
export function parseVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It takes the number of a version.");
  return Number(text);
}
