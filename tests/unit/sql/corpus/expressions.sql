SELECT a.b.c
SELECT (a).b
SELECT f(x).y
SELECT f(x -> 1, (x,y)->2, x -> (y -> x + y))
SELECT not a
SELECT -a
SELECT - -a
SELECT -1
SELECT -(1)
SELECT 1 - -1
SELECT -(-1)
SELECT - 1
SELECT -a.b
SELECT -a[1]
SELECT -a::Int8
SELECT -1::Int8
SELECT (-1)::Int8
SELECT -1.5
SELECT +1
SELECT +a
SELECT 1+-1
SELECT 1--1
SELECT not (a and b)
SELECT not a = b
SELECT not not a
SELECT not a in (1)
SELECT not a is null
SELECT a and b and c
SELECT (a and b) and c
SELECT a and (b and c)
SELECT a or b and c or d
SELECT a between 1 and 2
SELECT a not between 1 and 2
SELECT a between b+1 and c and d
SELECT a in (1)
SELECT a in (1,2)
SELECT a in t
SELECT a in (select 1)
SELECT a in [1,2]
SELECT a not in (1,2)
SELECT a global in (1)
SELECT a global not in (1)
SELECT a in (t)
SELECT a in db.t
SELECT a in f(x)
SELECT (a,b) in ((1,2),(3,4))
SELECT a in 1
SELECT a in (1,)
SELECT a in ()
SELECT x is null
SELECT x is not null
SELECT x + 1 is null
SELECT not x is null
SELECT x is null = 1
SELECT a like b
SELECT a ilike b
SELECT a not like b
SELECT a not ilike b
SELECT a regexp b
SELECT a <=> b
SELECT a is distinct from b
SELECT a is not distinct from b
SELECT a like b || 'c'
SELECT a like b and c
SELECT a || b || c
SELECT a || (b || c)
SELECT a || b + c
SELECT interval 1 day
SELECT interval '1 day'
SELECT interval '1' day
SELECT interval -1 day
SELECT interval a + 1 day
SELECT interval (a) day
SELECT now() - interval 1 week
SELECT interval '1 day 2 hours'
SELECT interval 1 millisecond
SELECT interval 1 days
SELECT interval f(x) hour
SELECT interval x.y month
SELECT extract(year from x)
SELECT extract(day from x)
SELECT extract(week from x)
SELECT extract('a', 'b')
SELECT extract(epoch from x)
SELECT substring(x from 1 for 2)
SELECT substring(x from 1)
SELECT substring(x, 1, 2)
SELECT substring(x, 1)
SELECT mid(x, 1, 2)
SELECT position(x in y)
SELECT position(x, y)
SELECT position('a' in x || y)
SELECT locate(a,b)
SELECT position(a, b, 3)
SELECT trim(both 'a' from x)
SELECT trim(leading 'a' from x)
SELECT trim(trailing 'a' from x)
SELECT trim(x)
SELECT ltrim(x)
SELECT rtrim(x)
SELECT ltrim(x, 'a')
SELECT trim(x, 'ab')
SELECT trim(from x)
SELECT date '2020-01-01'
SELECT timestamp '2020-01-01 00:00:00'
SELECT date
SELECT date(x)
SELECT timestamp(x)
SELECT date('2020-01-01')
SELECT date_add(day, 1, x)
SELECT date_add(x, interval 1 day)
SELECT date_add(interval 1 day, x)
SELECT timestampadd(hour, 2, x)
SELECT date_sub(day, 1, x)
SELECT dateadd(day, 1, x)
SELECT date_add('day', 1, x)
SELECT timestamp_sub(day, 1, x)
SELECT datesub(x, interval 1 day)
SELECT dateDiff(day, a, b)
SELECT date_diff('day', a, b)
SELECT timestampdiff(second, a, b)
SELECT datediff(day, a, b)
SELECT date_trunc('day', x)
SELECT date_trunc(day, x)
SELECT exists(select 1)
SELECT not exists (select 1)
SELECT exists(select 1 from t) and 1
SELECT a = any(select 1)
SELECT a != all(select 1)
SELECT a <> any (select 1)
SELECT a < any(select 1)
SELECT a >= all(select 1)
SELECT a = all (select 1)
SELECT a != any (select 1)
SELECT any(x)
SELECT a > some(select 1)
SELECT case when a then b end
SELECT case a when 1 then 2 else 3 end
SELECT case when a then b when c then d else e end
SELECT case a when 1 then 2 when 3 then 4 end
SELECT {x:Int8}
SELECT {x:Identifier}
SELECT {x:Array(String)}
SELECT {x: Array(Tuple(UInt8, String))}
SELECT []
SELECT ()
SELECT (1,)
SELECT (a,)
SELECT (1,2)
SELECT (a, 1)
SELECT ((1,2),3)
SELECT [[1],[2]]
SELECT [1,'a',NULL]
SELECT [(1,2)]
SELECT [a]
SELECT (1)
SELECT ((1))
SELECT ((a))
SELECT {'a':1}
SELECT map(1,2)
SELECT map('a', 1)
SELECT a[1]
SELECT a[1][2]
SELECT a[-1]
SELECT a.1
SELECT a.1.2
SELECT a.b.1
SELECT a[1].2
SELECT f(x)[1]
SELECT (1,2).1
SELECT [1,2][1]
SELECT t.a.1
SELECT a.-1
SELECT a[1].b
SELECT a.b[1].c
SELECT (a.b).c
SELECT tupleElement(a, 'b')
SELECT tupleElement(a, 1)
SELECT arrayElement(a, 1)
SELECT * except(a)
SELECT * except a
SELECT * except(a, b)
SELECT * replace(1 as a)
SELECT * replace(a+1 as a, b as c)
SELECT * apply(sum)
SELECT * apply sum
SELECT * apply(x->x+1)
SELECT * except strict a
SELECT * except('re')
SELECT * apply(quantile(0.5))
SELECT * apply(sum, 'p_')
SELECT * replace strict a+1 as a
SELECT columns('a')
SELECT columns(a,b)
SELECT t.columns('a')
SELECT t.* except a
SELECT columns('a') apply(sum)
SELECT a.b.*
SELECT columns(t.a, t.b)
SELECT t.columns(a, b)
SELECT columns(a) except b
SELECT columns
SELECT null
SELECT true
SELECT false
SELECT inf
SELECT nan
SELECT NULL
SELECT True
SELECT TRUE
SELECT -inf
SELECT +inf
SELECT Infinity
SELECT iNf
SELECT nULL
SELECT -nan
SELECT 1e10
SELECT 0x1F
SELECT 0b11
SELECT 1_000
SELECT 1.
SELECT 18446744073709551615
SELECT -9223372036854775808
SELECT 18446744073709551616
SELECT -9223372036854775809
SELECT 0x1p3
SELECT 1e-5
SELECT 100000000000000000000
SELECT 0.1
SELECT 1.50
SELECT 1E5
SELECT 123456789.123456789
SELECT 00012
SELECT 0x
SELECT 0xffffffffffffffffff
SELECT 'a\nb'
SELECT $$abc$$
SELECT 'a''b'
SELECT 'a\'b'
SELECT 'a\\b'
SELECT 'a\tb\0c\x41'
SELECT "a b"
SELECT `a b`
SELECT "a""b"
SELECT `a\`b`
SELECT 'é'
SELECT '\e\a\b\f\v\r'
SELECT 'a\%b'
SELECT $x$a'b$x$, b'0101', x'4142', B'01', X'41'
SELECT 5 div 2
SELECT 5 mod 2
SELECT 5 % 2
SELECT 5 / 2
SELECT a * b
SELECT div
SELECT mod
SELECT a div b mod c
SELECT sum(x) over w
SELECT sum(x) over (partition by a order by b rows between 1 preceding and current row)
SELECT sum(x) over ()
SELECT sum(x) over (w order by x)
SELECT sum(x) over (order by x range unbounded preceding)
SELECT sum(x) over (rows between unbounded preceding and unbounded following)
SELECT sum(x) over (order by a desc nulls first rows between current row and 1 + 1 following)
SELECT sum(x) ignore nulls
SELECT first_value(x) respect nulls
SELECT first_value(x) ignore nulls over (order by y)
SELECT quantile(0.5)(x)
SELECT quantile(0.5, 0.9)(x, y)
SELECT f()(x)
SELECT count(*)
SELECT count()
SELECT count(distinct a, b)
SELECT sum(distinct x)
SELECT quantile(0.5)(distinct x)
SELECT count(x) filter (where y > 1)
SELECT count() filter (where 1) over w
SELECT COUNT(x)
SELECT Sum(x)
SELECT count(all x)
SELECT sum(all x)
SELECT cast(1 as Nullable(Int8))
SELECT 1::Int8
SELECT (1,2)::Tuple(Int8, Int8)
SELECT [1,2]::Array(Int8)
SELECT 'a'::String
SELECT a::Decimal(10,2)
SELECT a::DateTime64(3,'UTC')
SELECT cast(x, 'Int8')
SELECT cast(x as String)
SELECT CAST(x AS Tuple(a Int8, b Array(String)))
SELECT 1.50::Decimal(10,2)
SELECT a::Enum8('a'=1,'b'=2)
SELECT [1,a]::Array(Int8)
SELECT (1,a)::Tuple(Int8,Int8)
SELECT true::Bool
SELECT null::Nullable(Int8)
SELECT 12345678901234567890123::UInt256
SELECT cast('1', x)
SELECT accurateCast(x, 'Int8')
SELECT a::b::c
SELECT f(x)::Int8
SELECT a+b::Int8
SELECT cast(x as int)
SELECT x::varchar(10)
SELECT x::double precision
SELECT x::unsigned
SELECT x::timestamp
SELECT x::int unsigned
SELECT a ? b : c
SELECT a ? b ? c : d : e
SELECT a = 1 ? b : c
SELECT a ? b : c ? d : e
SELECT lambda(tuple(x), x+1)
SELECT lambda(x, x)
SELECT x -> x
SELECT (x) -> x
SELECT () -> 1
SELECT a as b
SELECT a b
SELECT (a as b) + 1
SELECT f(a as b)
SELECT [a as b]
SELECT a + 1 as c
SELECT (a, b as c)
SELECT plus(1,2)
SELECT 1+2
SELECT (1+2)*3
SELECT 1+2*3
SELECT 1-(2-3)
SELECT (1-2)-3
SELECT (a+b)+c
SELECT a+(b+c)
SELECT 2*(3/4)
SELECT -(a+b)
SELECT (-a)+b
SELECT (a=b)=c
SELECT a=b=c
SELECT a=(b=c)
SELECT a<b<c
SELECT a==b
SELECT a<>b
SELECT a!=b
SELECT if(a,b,c)
SELECT multiIf(a,b,c)
SELECT greatest(a,b)
SELECT LEAST(a,b)
SELECT isNull(x)
SELECT isNotNull(x)
SELECT equals(a, b)
SELECT and(a,b,c)
SELECT or(a,b)
SELECT not(a)
SELECT negate(a)
SELECT concat(a,b)
SELECT in(a, (1,2))
SELECT like(a, b)
SELECT array(1,2)
SELECT tuple(1,2)
SELECT toIntervalDay(1)
SELECT notEquals(a,b)
SELECT tuple()
SELECT array()
SELECT @@version
SELECT @@session.x
SELECT @@global.max_allowed_packet
SELECT a.^b
SELECT a.b.:Int64
SELECT a.b[]
SELECT json.a.b.:`Array(JSON)`
SELECT json.^a.b
SELECT a.`b c`.d
SELECT f(*)
SELECT f(t.*)
SELECT tuple(*)
SELECT f(a, *)
SELECT view(select 1)
SELECT f(select 1)
SELECT f((select 1))
SELECT (select 1)
SELECT (select 1) + 1
SELECT (select 1, 2).1
SELECT ((select 1))
SELECT (select 1) as x
SELECT NOT a + 1
SELECT NOT a.b
SELECT -a + b
SELECT - a * b
SELECT a * -b
SELECT a AND NOT b
SELECT NOT a OR b
SELECT a BETWEEN -1 AND +1
SELECT xor(a, b)
SELECT overlay(a placing b from 1 for 2)
SELECT overlay(a, b, 1)
SELECT ceil(x)
SELECT floor(x, 2)
SELECT `sum`(x)
SELECT "sum"(x)
SELECT `a.b`
SELECT `a`.`b`
SELECT `1a`
SELECT `select`
SELECT `a-b`
SELECT `ä`
SELECT `a$b`
SELECT `A_1`
SELECT `null`
SELECT `true`
SELECT `inf`
SELECT current_timestamp
SELECT CURRENT_DATE
SELECT current_date()
SELECT now()
SELECT current_user
SELECT localtime
SELECT a.b(1)
SELECT a::Int8 + 1
SELECT f(x) as y
SELECT x in (a)
SELECT 1 in (1)
SELECT 'a' in ('a','b')
SELECT a in ('x')
SELECT a in (-1)
SELECT a in (1+1)
SELECT a in (null)
SELECT a in tuple(1,2)
SELECT a in (1, a)
SELECT kql
SELECT row
SELECT groups
SELECT key
SELECT time
SELECT first
SELECT last
SELECT day
SELECT end
SELECT any
SELECT 1 is not null and 2
SELECT a in (1,2) and b
SELECT a = b and c = d or e
SELECT extract(second from x)
SELECT extract(dow from x)
SELECT extract(doy from x)
SELECT extract(isoyear from x)
SELECT extract(isodow from x)
SELECT extract(millisecond from x)
SELECT extract(microsecond from x)
SELECT extract(quarter from x)
SELECT extract(minute from x)
SELECT extract(hour from x)
SELECT extract(month from x)
SELECT extract(days from x)
SELECT interval 1 quarter
SELECT interval 1 nanosecond
SELECT interval 1 microseconds
SELECT interval 1 sql_tsi_day
SELECT interval 1 d
SELECT interval 1 h
SELECT interval 1 m
SELECT interval 1 yy
SELECT date_add(dd, 1, x)
SELECT date_diff(dd, a, b)
SELECT dateDiff(d, a, b)
SELECT date_diff('dd', a, b)
SELECT 1 is not true
SELECT (a as b) as c
SELECT case when 1 then 2 end as x
SELECT f(x) over w as y
SELECT x -> x as y
SELECT a in (select 1) as b
SELECT f(a, b) ignore nulls filter (where c)
SELECT f(a) filter (where c) ignore nulls
SELECT a.1.b
SELECT (a, b).1
SELECT a[1]::Int8
SELECT a.b::Int8
SELECT 'a'::String || 'b'
SELECT not(a, b)
SELECT not (a) in (1)
SELECT * from t
SELECT count(* except a)
SELECT a and b as c
SELECT x between 1 and 2 as y
SELECT columns('a') as b
SELECT t.* as x
SELECT tuple(a, b).1
SELECT [a.1]
SELECT a[b.1]
SELECT {'a': 1, 'b': [1]}
SELECT f(x, y -> y)
SELECT f((x, y) -> (x, y))
SELECT f(x -> x, 1)
SELECT 1 + (select 1)
SELECT (a) as x
SELECT ((a as x))
SELECT -(-(1))
SELECT -(a)
SELECT -1 * -1
SELECT - a.1
SELECT -f(x)
SELECT not -a
SELECT a - -b
SELECT a * (b * c)
SELECT a * b * c
SELECT (a * b) / c
SELECT a / (b / c)
SELECT a % b % c
SELECT a and not b or c
SELECT not (a or b)
SELECT (not a) and b
SELECT not a = b and c
SELECT a = not b
SELECT (a, b) = (1, 2)
SELECT (a, b) in t
SELECT a in (b)
SELECT a in (b, c)
SELECT a in ((1,2))
SELECT a in ((1,2),(3,4))
SELECT (a,b) in (1,2)
SELECT a in [1]
SELECT a in (select 1 union all select 2)
SELECT a not in (select 1)
SELECT a in (f(x))
SELECT a in (1 + 1)
SELECT a in tuple(1, 2)
SELECT a in (tuple(1,2))
SELECT a in ([1,2])
SELECT (a ? b : c) + 1
SELECT 1 + (a ? b : c)
SELECT if(a, b, c) + 1
SELECT case when a then b end + 1
SELECT interval 1 day + 1
SELECT cast(a as Int8) + 1
SELECT a[1] + 1
SELECT (a + b)[1]
SELECT (a + b).1
SELECT [1,2,3][2]
SELECT {a:Array(Int8)}[1]
SELECT (select [1,2])[1]
SELECT map(1,2)[1]
SELECT 'abc'[1]
SELECT a || b = c
SELECT (a || b) || c
SELECT a = b || c
SELECT a is null and b
SELECT (a is null) = b
SELECT a is null is null
SELECT - a is null
SELECT a like b is null
SELECT exists(select 1) = 1
SELECT not exists(select 1)
SELECT a == any(select 1)
SELECT x -> (y -> y)
SELECT a regexp 'x'
SELECT a <=> b = c
SELECT a is distinct from b and c
SELECT isDistinctFrom(a, b)
SELECT quantile(0.5)(a) + 1
SELECT sum(a) over w + 1
SELECT sum(a + 1) / count(*) * 100
SELECT now() - interval 1 day
SELECT now() - 3600
SELECT -interval 1 day
SELECT -0.0
SELECT 1e-10
SELECT 1e20
SELECT 1e21
SELECT 123456789012345678
SELECT 1.0
SELECT 1.10
SELECT 0x10
SELECT 1e3::Int32
SELECT - 5::Int8
SELECT a.b.c.d
SELECT `a`.`b c`
SELECT `from`
SELECT `1`
