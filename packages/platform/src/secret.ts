import { inspect } from "node:util";

const hidden = "[secret]";

/** A value that must not be printed: whatever turns it into text gets `[secret]`; only `reveal` gives it out. */
export class Secret<Value = string> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  reveal(): Value {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}
