#include "programs/play_page.h"

namespace basalt
{

std::string play_page()
{
    return R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Basalt</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root{color-scheme:light dark;--line:#8884;--accent:#3b6ea5;--bad:#b3261e}
body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1200px;padding:16px}
h1{font-size:18px;margin:0 0 12px}
textarea{width:100%;box-sizing:border-box;height:9em;font:14px/1.4 ui-monospace,monospace;padding:10px;border:1px solid var(--line);border-radius:6px}
.bar{display:flex;gap:12px;align-items:center;margin:10px 0;flex-wrap:wrap}
button{background:var(--accent);color:#fff;border:0;border-radius:6px;padding:7px 18px;font:inherit;cursor:pointer}
button:disabled{opacity:.5;cursor:default}
#note{opacity:.75}
#error{color:var(--bad);white-space:pre-wrap;font-family:ui-monospace,monospace}
.scroll{overflow:auto;max-height:70vh}
table{border-collapse:collapse;font:13px/1.35 ui-monospace,monospace}
th,td{border-bottom:1px solid var(--line);padding:3px 12px 3px 0;text-align:left;vertical-align:top;white-space:pre}
th{position:sticky;top:0;background:Canvas}
td.n{text-align:right}
th small{opacity:.6;font-weight:normal}
</style></head><body>
<h1>Basalt</h1>
<textarea id="query" spellcheck="false" autofocus>SELECT database, name, engine, total_rows FROM system.tables WHERE database != 'system'</textarea>
<div class="bar"><button id="run">Run</button><span>Ctrl+Enter</span>
<label>user <input id="user" size="10" value="default"></label>
<label>password <input id="password" type="password" size="10"></label>
<span id="note"></span></div>
<div id="error"></div><div class="scroll"><table id="result"></table></div>
<script>
const el=id=>document.getElementById(id);let running=null;
if(location.hash.length>1)el('query').value=decodeURIComponent(location.hash.slice(1));
async function run(){
  if(running){running.abort();return}
  running=new AbortController();el('run').textContent='Stop';
  el('error').textContent='';el('result').replaceChildren();el('note').textContent='running…';
  history.replaceState(null,'','#'+encodeURIComponent(el('query').value));
  const t=performance.now();
  try{
    const q=new URLSearchParams({default_format:'JSONCompact',max_result_rows:10000,result_overflow_mode:'break'});
    const r=await fetch('/?'+q,{method:'POST',body:el('query').value,signal:running.signal,
      headers:{'X-ClickHouse-User':el('user').value,'X-ClickHouse-Key':el('password').value}});
    const text=await r.text(),ms=(performance.now()-t).toFixed(0);
    if(!r.ok){el('error').textContent=text;el('note').textContent=ms+' ms';return}
    let d;try{d=JSON.parse(text)}catch(e){el('error').textContent=text||'Ok.';el('note').textContent=ms+' ms';return}
    const head=document.createElement('tr');
    for(const c of d.meta){const th=document.createElement('th'),s=document.createElement('small');th.textContent=c.name+' ';s.textContent=c.type;th.append(s);head.append(th)}
    const rows=[head];
    for(const row of d.data){const tr=document.createElement('tr');
      row.forEach((v,i)=>{const td=document.createElement('td');td.textContent=v===null?'NULL':typeof v==='object'?JSON.stringify(v):v;
        if(/^(U?Int|Float|Decimal)/.test(d.meta[i].type))td.className='n';tr.append(td)});rows.push(tr)}
    el('result').replaceChildren(...rows);
    el('note').textContent=`${d.rows} rows, ${ms} ms; read ${d.statistics.rows_read} rows, ${d.statistics.bytes_read} bytes`;
  }catch(e){el('note').textContent=e.name==='AbortError'?'stopped':'';if(e.name!=='AbortError')el('error').textContent=e}
  finally{running=null;el('run').textContent='Run'}
}
el('run').onclick=run;
addEventListener('keydown',e=>{if((e.ctrlKey||e.metaKey)&&e.key==='Enter'){e.preventDefault();run()}});
</script></body></html>
)html";
}

} // namespace basalt
