// More of @clickhouse/client against a server: streams in and out of several formats, exec, errors in the middle of
// a stream, plain and compressed. node clickhouse_js_formats.mjs URL; prints as clickhouse_js.mjs does.
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';

const url = process.argv[2];
const { createClient, ClickHouseLogLevel } = createRequire(process.env.PEER_MODULES + '/')('@clickhouse/client');

let passed = 0, failed = 0;
function check(what, got, want) {
  if (JSON.stringify(got) === JSON.stringify(want)) return void passed++;
  failed++;
  console.log(`FAILED ${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`);
}
async function fails(what, action, code) {
  try { await action(); check(what, 'no error', code); }
  catch (error) { check(what, error.code ?? String(error), code); }
}
const log = { level: ClickHouseLogLevel.OFF };
const client = createClient({ url, log });

check('ping', (await client.ping()).success, true);
check('ping with a query', (await client.ping({ select: true })).success, true);
check('ping of nobody', (await createClient({ url: 'http://127.0.0.1:1', log }).ping()).success, false);

// Selects.
const rows = await client.query({ query: 'SELECT number AS n, toString(number) AS s FROM numbers(3)', format: 'JSONEachRow' });
check('rows', await rows.json(), [0, 1, 2].map(n => ({ n, s: String(n) })));
check('response headers', rows.response_headers['x-clickhouse-format'], 'JSONEachRow');
check('query id', (await client.query({ query: 'SELECT 1', query_id: 'mine-2' })).query_id, 'mine-2');
const json = await (await client.query({ query: 'SELECT 1 AS x', format: 'JSON' })).json();
check('JSON: data', json.data, [{ x: 1 }]);
check('JSON: meta', json.meta, [{ name: 'x', type: 'UInt8' }]);
check('JSONCompact', (await (await client.query({ query: "SELECT 1, 'a'", format: 'JSONCompact' })).json()).data, [[1, 'a']]);
check('JSONColumnsWithMetadata', (await (await client.query({ query: 'SELECT number AS n FROM numbers(3)', format: 'JSONColumnsWithMetadata' })).json()).data, { n: [0, 1, 2] });
check('CSV', await (await client.query({ query: "SELECT 1, 'a,b'", format: 'CSV' })).text(), '1,"a,b"\n');
check('TabSeparatedWithNamesAndTypes', await (await client.query({ query: 'SELECT 1 AS x', format: 'TabSeparatedWithNamesAndTypes' })).text(), 'x\nUInt8\n1\n');
check('parameters', await (await client.query({
  query: 'SELECT {n:Int32} AS n, {s:String} AS s, {a:Array(UInt8)} AS a, {d:DateTime} AS d, {u:Nullable(String)} AS u, {b:Bool} AS b',
  format: 'JSONEachRow',
  query_params: { n: -5, s: "tab\t'quote' \\ new\nline", a: [1, 2], d: '2026-01-02 03:04:05', u: null, b: true },
})).json(), [{ n: -5, s: "tab\t'quote' \\ new\nline", a: [1, 2], d: '2026-01-02 03:04:05', u: null, b: true }]);
check('settings', await (await client.query({ query: "SELECT getSetting('max_threads') AS t", format: 'JSONEachRow', clickhouse_settings: { max_threads: 3 } })).json(), [{ t: 3 }]);

// Streams.
async function drain(result) {
  let count = 0, sum = 0;
  for await (const part of result.stream()) for (const row of part) { count++; sum += Number(row.json()[0]); }
  return [count, sum];
}
const big = { query: 'SELECT number FROM numbers(500000)', format: 'JSONCompactEachRow' };
check('a select as a stream', await drain(await client.query(big)), [500000, 124999750000]);
const packed = createClient({ url, log, compression: { request: true, response: true } });
check('the same compressed', await drain(await packed.query(big)), [500000, 124999750000]);
let text = '';
const unread = await client.query({ query: 'SELECT number FROM numbers(1000000)', format: 'CSV' });
for await (const part of unread.stream()) { text += part[0].text; break; }
check('a stream that is left', text, '0');
check('the client goes on', (await client.ping({ select: true })).success, true);

// Commands, inserts.
await client.command({ query: 'DROP TABLE IF EXISTS npm_rows' });
const created = await client.command({ query: 'CREATE TABLE npm_rows (id UInt64, name String, tags Array(String), at DateTime64(3), note Nullable(String)) ENGINE = MergeTree ORDER BY id' });
check('command has a query id', created.query_id.length, 36);
const sample = n => ({ id: n, name: `name ${n} é`, tags: ['a', `t${n}`], at: '2026-01-02 03:04:05.678', note: n % 2 ? null : 'x' });
const all = async (id, c = client) => (await c.query({ query: `SELECT * REPLACE (toUInt32(id) AS id) FROM npm_rows WHERE intDiv(id, 100) = ${id} ORDER BY id`, format: 'JSONEachRow' })).json();
const list = base => [0, 1, 2].map(n => sample(base + n));
const inserted = await client.insert({ table: 'npm_rows', values: list(100), format: 'JSONEachRow' });
check('insert of objects', await all(1), list(100));
check('the summary of an insert', inserted.summary?.written_rows, '3');
await packed.insert({ table: 'npm_rows', values: list(200), format: 'JSONEachRow' });
check('insert compressed', await all(2, packed), list(200));
await client.insert({ table: 'npm_rows', values: Readable.from(list(300), { objectMode: true }), format: 'JSONEachRow' });
check('insert of a stream of objects', await all(3), list(300));
await client.insert({ table: 'npm_rows', values: list(400).map(Object.values), format: 'JSONCompactEachRow' });
check('insert JSONCompactEachRow', await all(4), list(400));
await packed.insert({ table: 'npm_rows', values: Readable.from(list(500).map(Object.values), { objectMode: true }), format: 'JSONCompactEachRow' });
check('insert of a stream, compressed', await all(5), list(500));
const csv = list(600).map(r => `${r.id},"${r.name}","['a','t${r.id}']",${r.at},${r.note ?? '\\N'}\n`);
await client.insert({ table: 'npm_rows', values: Readable.from(csv, { objectMode: false }), format: 'CSV' });
check('insert of a stream of CSV', await all(6), list(600));
const tsv = list(700).map(r => `${r.id}\t${r.name}\t['a','t${r.id}']\t${r.at}\t${r.note ?? '\\N'}\n`);
await client.insert({ table: 'npm_rows', values: Readable.from(tsv, { objectMode: false }), format: 'TabSeparated' });
check('insert of a stream of TSV', await all(7), list(700));
await client.insert({ table: 'npm_rows', values: [{ id: 800, name: 'only' }], format: 'JSONEachRow', columns: ['id', 'name'] });
check('insert of some columns', (await all(8)).map(r => [r.id, r.name, r.tags]), [[800, 'only', []]]);
const source = await client.query({ query: "SELECT number + 900 AS id, 'copied' AS name FROM numbers(50)", format: 'JSONEachRow' });
await client.insert({ table: 'npm_rows', values: source.stream().map(part => part.map(r => r.json())).flatMap(part => part), format: 'JSONEachRow' });
check('a select piped into an insert', (await all(9)).length, 50);
const empty = await client.insert({ table: 'npm_rows', values: [], format: 'JSONEachRow' });
check('insert of nothing', empty.executed, false);

// exec.
const exec = await client.exec({ query: 'SELECT 42 FORMAT CSV' });
let answer = '';
for await (const chunk of exec.stream) answer += chunk;
check('exec', answer, '42\n');
const fed = await client.exec({ query: "INSERT INTO npm_rows (id, name) FORMAT CSV", values: Readable.from(['1000,"fed"\n'], { objectMode: false }) });
for await (const chunk of fed.stream) void chunk;
check('exec with a stream', (await all(10)).map(r => r.name), ['fed']);

// Sessions.
const session = createClient({ url, log, session_id: `npm-${process.pid}` });
await session.command({ query: 'CREATE TEMPORARY TABLE npm_temporary (x UInt8)' });
await session.insert({ table: 'npm_temporary', values: [{ x: 7 }], format: 'JSONEachRow' });
check('a temporary table in a session', await (await session.query({ query: 'SELECT x FROM npm_temporary', format: 'JSONEachRow' })).json(), [{ x: 7 }]);
await fails('not in another', () => client.query({ query: 'SELECT x FROM npm_temporary' }), '60');
await session.command({ query: 'SET max_block_size = 77' });
check('SET in a session', await (await session.query({ query: "SELECT getSetting('max_block_size') AS n", format: 'JSONEachRow' })).json(), [{ n: 77 }].map(r => ({ n: r.n })));

// Errors.
await fails('a syntax error', () => client.query({ query: 'SELEC 1' }), '62');
await fails('an unknown table', () => client.query({ query: 'SELECT * FROM npm_nowhere' }), '60');
await fails('a command that fails', () => client.command({ query: 'DROP TABLE npm_nowhere' }), '60');
await fails('an insert that fails', () => client.insert({ table: 'npm_rows', values: [{ id: 'no number' }], format: 'JSONEachRow' }), '27');
await fails('an error compressed', () => packed.query({ query: 'SELECT throwIf(1)' }), '395');
const late = { query: 'SELECT number, throwIf(number = 3000000) FROM numbers(10000000)', format: 'JSONCompactEachRow', clickhouse_settings: { max_block_size: 1000 } };
await fails('an error in the middle of a stream', async () => drain(await client.query(late)), '395');
// Unpacking is cut short by the connection's end, so that the client may not get to see the text.
check('the same compressed', await packed.query(late).then(drain).then(() => 'no error', error => ['395', 'ECONNRESET'].includes(error.code)), true);
const wrong = createClient({ url, log, username: 'nobody_here', password: 'x' });
await fails('a wrong user', () => wrong.query({ query: 'SELECT 1' }), '516');

// A query that is given up ends.
const abort = new AbortController(), id = `npm-abort-${process.pid}`;
const pending = client.query({ query: 'SELECT sum(sipHash64(number)) FROM numbers(100000000000)', abort_signal: abort.signal, query_id: id });
const running = async () => (await (await client.query({ query: `SELECT count() AS n FROM system.processes WHERE query_id = '${id}'`, format: 'JSONEachRow' })).json())[0].n;
const until = async want => { for (let i = 0; i < 600 && Number(await running()) !== want; i++) await new Promise(done => setTimeout(done, 50)); return Number(await running()); };
check('the long query runs', await until(1), 1);
abort.abort();
check('abort', await pending.then(() => 'an answer', () => 'aborted'), 'aborted');
check('it ends on the server', await until(0), 0);

// Progress in the head keeps long queries' connections busy.
const slow = await client.query({ query: 'SELECT sum(sleepEachRow(0.05)) AS s FROM numbers(10) SETTINGS max_block_size = 1', format: 'JSONEachRow', clickhouse_settings: { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '100' } });
check('with progress', await slow.json(), [{ s: 0 }]);

await client.command({ query: 'DROP TABLE npm_rows' });
for (const c of [client, packed, session, wrong]) await c.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
