// @clickhouse/client against a server: node clickhouse_js.mjs URL. Prints a line "FAILED …" for what is wrong and at
// the end "N passed, N failed".

import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'

const require = createRequire(process.env.PEER_MODULES + '/')
const { createClient, ClickHouseLogLevel } = require('@clickhouse/client')

let passed = 0
let failed = 0
function check(what, got, want) {
  if (isDeepStrictEqual(got, want)) return ++passed
  ++failed
  console.log(`FAILED ${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`)
}

const url = process.argv[2]
const log = { level: ClickHouseLogLevel.OFF }
const client = createClient({ url, log, request_timeout: 60000 })

async function json(query, options = {}) {
  return (await client.query({ query, format: 'JSONEachRow', ...options })).json()
}

async function failure(call) {
  try {
    return { code: 'none', result: await call() }
  } catch (error) {
    return error
  }
}

// --- Asking
check('ping', (await client.ping()).success, true)
check('ping with a query', (await client.ping({ select: true })).success, true)
check('JSONEachRow', await json("SELECT toUInt8(1) AS a, 'x' AS b, [1, 2] AS c, map('k', 'v') AS d, NULL AS e"),
  [{ a: 1, b: 'x', c: [1, 2], d: { k: 'v' }, e: null }])
const whole = await (await client.query({ query: 'SELECT toUInt8(number) AS n FROM numbers(3)' })).json()
check('JSON', [whole.rows, whole.data, whole.meta], [3, [{ n: 0 }, { n: 1 }, { n: 2 }], [{ name: 'n', type: 'UInt8' }]])
check('CSV as text', await (await client.query({ query: "SELECT 1, 'a,b'", format: 'CSV' })).text(), '1,"a,b"\n')
check('parameters', await json('SELECT {n: UInt8} AS n, {s: String} AS s, {a: Array(String)} AS a, {d: DateTime} AS d', {
  query_params: { n: 7, s: "it's\t\\ odd\n", a: ["x'", 'y'], d: new Date('2026-01-02T03:04:05Z') },
}), [{ n: 7, s: "it's\t\\ odd\n", a: ["x'", 'y'], d: '2026-01-02 03:04:05' }])
check('settings', await json("SELECT getSetting('max_threads') AS n", { clickhouse_settings: { max_threads: 3, output_format_json_quote_64bit_integers: 0 } }),
  [{ n: 3 }])
const named = await client.query({ query: 'SELECT 1', query_id: 'from-js' })
check("query id", named.query_id, "from-js")
await named.text()

let streamed = 0
let sum = 0
const big = await client.query({ query: 'SELECT toUInt32(number) AS n FROM numbers(500000)', format: 'JSONCompactEachRow' })
for await (const batch of big.stream()) {
  for (const row of batch) {
    streamed += 1
    sum += row.json()[0]
  }
}
check('a stream', [streamed, sum], [500000, (500000 * 499999) / 2])

// --- Inserting
await client.command({ query: 'CREATE TABLE js (id UInt32, name String, tags Array(String), at DateTime) ENGINE = MergeTree ORDER BY id' })
await client.insert({ table: 'js', values: [{ id: 1, name: 'one', tags: ['a'], at: '2026-01-01 00:00:00' }], format: 'JSONEachRow' })
await client.insert({ table: 'js', values: [[2, 'two', [], '2026-01-01 00:00:01']], format: 'JSONCompactEachRow' })
await client.insert({ table: 'js', values: Readable.from(['3,three,"[\'b\']",2026-01-01 00:00:02\n', '4,four,[],2026-01-01 00:00:03\n'], { objectMode: false }), format: 'CSV' })
await client.insert({
  table: 'js',
  format: 'JSONEachRow',
  columns: ['id', 'name'],
  values: Readable.from((function* () { for (let id = 5; id <= 20000; ++id) yield { id, name: `n${id}` } })(), { objectMode: true }),
})
check('inserted', await json('SELECT count() AS c, sum(id) AS s, groupArrayIf(name, id < 5) AS names, uniq(name) AS u FROM js', {
  clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
}), [{ c: 20000, s: 200010000, names: ['one', 'two', 'three', 'four'], u: (await json('SELECT toUInt32(uniq(name)) AS u FROM js'))[0].u }])
await client.insert({ table: 'js', values: [], format: 'JSONEachRow' })
check('an empty insert', await json('SELECT toUInt32(count()) AS c FROM js'), [{ c: 20000 }])
const summary = (await client.insert({ table: 'js', values: [{ id: 30000, name: 'late' }], format: 'JSONEachRow' })).summary
check('the summary of an insert', summary?.written_rows, '1')

// --- Compression
const packed = createClient({ url, log, compression: { request: true, response: true } })
await packed.insert({ table: 'js', values: [{ id: 30001, name: 'packed'.repeat(1000) }], format: 'JSONEachRow' })
check('compressed both ways', await (await packed.query({ query: 'SELECT toUInt32(length(name)) AS l FROM js WHERE id = 30001', format: 'JSONEachRow' })).json(),
  [{ l: 6000 }])
await packed.close()

// --- Sessions
const session = createClient({ url, log, session_id: 'js-session' })
await session.command({ query: 'CREATE TEMPORARY TABLE mine (x UInt8)' })
await session.insert({ table: 'mine', values: [{ x: 5 }], format: 'JSONEachRow' })
check('a temporary table in a session', await (await session.query({ query: 'SELECT x FROM mine', format: 'JSONEachRow' })).json(), [{ x: 5 }])
check('not outside it', (await failure(() => json('SELECT x FROM mine'))).code, '60')
await session.close()

// --- Errors
const wrong = await failure(() => json('SELECT nothing_like_it'))
check('an error', [wrong.code, wrong.type], ['47', 'UNKNOWN_IDENTIFIER'])
check('a syntax error', (await failure(() => client.command({ query: 'SELEC 1' }))).code, '62')
check('a bad row', (await failure(() => client.insert({ table: 'js', values: [{ id: 'x' }], format: 'JSONEachRow' }))).code !== 'none', true)
check('nobody', (await failure(() => createClient({ url, log, username: 'nobody' }).query({ query: 'SELECT 1' }))).code, '516')
const late = await failure(async () => {
  const result = await client.query({
    query: "SELECT throwIf(number = 2000000, 'boom') AS x, number FROM numbers(10000000)",
    format: 'JSONEachRow',
    clickhouse_settings: { max_block_size: '10000' },
  })
  let count = 0
  for await (const batch of result.stream()) count += batch.length
  return count
})
check('an error in the middle of a stream', [late.code, /boom/.test(late.message)], ['395', true])

// --- Leaving
const aborter = new AbortController()
const long = client.query({ query: 'SELECT sum(sipHash64(number)) FROM numbers(100000000000)', abort_signal: aborter.signal, query_id: 'js-long' })
for (let i = 0; i < 100; ++i) {
  if ((await json("SELECT toUInt8(count()) AS c FROM system.processes WHERE query_id = 'js-long'"))[0].c === 1) break
  await new Promise((resolve) => setTimeout(resolve, 50))
}
aborter.abort()
check('aborted', /abort/i.test((await failure(() => long)).message), true)
let left = 1
for (let i = 0; i < 100 && left > 0; ++i) {
  left = (await json("SELECT toUInt8(count()) AS c FROM system.processes WHERE query_id = 'js-long'"))[0].c
  await new Promise((resolve) => setTimeout(resolve, 50))
}
check('and gone', left, 0)

// --- exec
const executed = await client.exec({ query: 'SELECT 1 FORMAT TSV' })
let text = ''
for await (const piece of executed.stream) text += piece
check('exec', text, '1\n')
await client.close()
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
