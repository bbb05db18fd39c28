import { expect, test } from "vitest";
import { memory } from "../../../lib/state/engines/memory.ts";
import type { Shared } from "../../../lib/state/engine.ts";
import { SharedTexts } from "../../../lib/state/zone/shared-value.ts";
import { realClock as clock } from "../../../lib/real/clock.ts";
import { random } from "../../support/state-world.ts";

/** A text of a place that several processes open, and how often they read it. */
function place(): { open(): SharedTexts; reads(): number } {
  const shared = memory();
  let count = 0;
  return {
    open: () => {
      const whole = shared.open({ clock, random }).shared("claims");
      const counting: Shared = {
        ...whole,
        get: (signal) => {
          count += 1;
          return whole.get(signal);
        },
      };
      return new SharedTexts(counting);
    },
    reads: () => count,
  };
}

test("several texts are read with one request, and who reads again gets a newer answer", async () => {
  const { open, reads } = place();
  const texts = open();
  const [claims, moves] = [texts.text("claims"), texts.text("moves")];
  await Promise.all([claims.get(), moves.get()]);
  expect(reads()).toBe(1);
  const { tag } = await claims.get();
  expect(reads()).toBe(2);
  expect(await claims.replace(tag, '{"a":1}')).toBe(true);
  expect((await moves.get()).text).toBeUndefined();
  expect((await claims.get()).text).toBe('{"a":1}');
  expect(reads()).toBe(3);
});

test("a change of one text keeps the others, and fails where another process changed one of them since", async () => {
  const { open } = place();
  const [own, other] = [open(), open()];
  const [claims, moves] = [own.text("claims"), other.text("moves")];
  const { tag } = await claims.get();
  expect(await moves.replace((await moves.get()).tag, '{"b":2}')).toBe(true);
  expect(await claims.replace(tag, '{"a":1}')).toBe(false);
  expect(await claims.replace((await claims.get()).tag, '{"a":1}')).toBe(true);
  expect((await own.text("moves").get()).text).toBe('{"b":2}');
});

test("what was read before a lock or a write is forgotten", async () => {
  const { open, reads } = place();
  const texts = open();
  await texts.text("claims").get();
  texts.forget();
  await texts.text("moves").get();
  expect(reads()).toBe(2);
});

test("a damaged text is no empty one", async () => {
  const whole = memory().open({ clock, random }).shared("claims");
  await whole.replace(undefined, "{");
  expect((await new SharedTexts(whole).text("moves").get()).text).toBe("{");
});
