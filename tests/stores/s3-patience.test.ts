import { expect, test } from "vitest";
import { openScene, thrownBy } from "../support/s3-scene.ts";
import { given, HOLDER, ZONE } from "../support/state-world.ts";

test("a holder waits for its server as long as its patience lasts, not longer", async () => {
  const { time, process } = openScene();
  const holder = process({ patienceMilliseconds: 3000 });
  const lease = await time.until(holder.store.lock(ZONE, HOLDER, 0));
  holder.fail(() => "lost");
  const refused: unknown[] = [];
  const works = [
    holder.store.keep(ZONE, lease, "run", given(["record"])),
    holder.store.append(ZONE, lease, ["line"]),
    holder.store.checkLease(ZONE, lease),
  ];
  for (const work of works) void thrownBy(work).then((thrown) => refused.push(thrown));
  await time.pass(2000);
  expect(refused).toEqual([]);
  await time.pass(2000);
  for (const thrown of refused) expect(thrown).toMatchObject({ diagnostic: { code: "state-unreachable" } });
  expect(refused).toHaveLength(works.length);
});
