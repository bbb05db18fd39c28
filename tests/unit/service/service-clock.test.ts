import { expect, it } from "vitest";
import { openServiceClock } from "../../../lib/service/http.ts";

function clockOf(
  ...dates: readonly (string | undefined)[]
): ReturnType<typeof openServiceClock> & { wait: (by: number) => void } {
  let now = 1_000_000;
  let asked = 0;
  const clock = openServiceClock(
    {
      send: async () => {
        const date = dates[asked];
        asked += 1;
        return { status: 200, headers: date === undefined ? {} : { date }, body: "" };
      },
    },
    { now: () => now },
  );
  return { ...clock, wait: (by) => (now += by) };
}

const GET = { method: "GET", url: "http://service", headers: {} };

it("the service clock shows the local time before the first answer, and if answers have no readable date", async () => {
  const clock = clockOf(undefined, "soon");
  expect(clock.now()).toBe(1_000_000);
  await clock.http.send(GET);
  await clock.http.send(GET);
  expect(clock.now()).toBe(1_000_000);
});

it("the service clock runs on from the last answer, and is never earlier than what that answer shows", async () => {
  const date = "Fri, 01 Jan 2100 00:00:00 GMT";
  const clock = clockOf("Thu, 01 Jan 2099 00:00:00 GMT", date);
  await clock.http.send(GET);
  clock.wait(50_000);
  await clock.http.send(GET);
  expect(clock.now()).toBe(Date.parse(date) + 999);
  clock.wait(2_000);
  expect(clock.now()).toBe(Date.parse(date) + 2_999);
});
