"""The meaning of the heads of columns, in the tables of other programs and in the languages of Europe.

Heads are compared folded, with single blanks between their words. The first use in ``_HEADS`` that has the words wins,
and of several columns the one whose words come first, so that “Title” goes before “Story”.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from functools import cache

from core.import_export.tables.words import split_words
from core.text.folding import fold


class Use(StrEnum):
    """The use of a column: what becomes of its cells."""

    TITLE = "title"
    KEY = "key"
    ID = "id"
    PARENT = "parent"
    OUTLINE = "outline"
    INDENT = "indent"
    PHASE = "phase"
    KIND = "kind"
    STATUS = "status"
    DONE = "done"
    ARCHIVED = "archived"
    ASSIGNED = "assigned"
    EMAIL = "email"
    DUE = "due"
    START = "start"
    DESCRIPTION = "description"
    LINK = "link"
    PRIORITY = "priority"
    LABELS = "labels"
    COMMENT = "comment"
    WAITS_FOR = "waits"
    BLOCKS = "blocks"
    FIELD = "field"
    """A custom field, whose kind follows from its cells."""
    TEXT = "text"
    NUMBER = "number"
    """A custom field of this kind."""
    WORDS = "words"
    """Lines “Head: value” at the end of the description."""
    NOTHING = "skip"


REPEATED = frozenset(
    (Use.LABELS, Use.ASSIGNED, Use.EMAIL, Use.COMMENT, Use.WAITS_FOR, Use.BLOCKS, Use.DESCRIPTION, Use.ARCHIVED)
)
"""The uses that several columns can have. Of the others, the first column with cells has it."""

_HEADS: Mapping[Use, str] = {
    Use.TITLE: """
        title, task name, taskname, summary, subject, name, task, card, card name, content, work item, feature,
        user story, use case, story, issue, item, activity name,
        titel, vorgangsname, aufgabe, vorgang, bezeichnung, thema, arbeitspaket,
        titre, nom de la tache, tache, intitule, sujet, nom, titulo, nombre de tarea, tarea, asunto, nombre,
        taaknaam, taak, onderwerp, naam, titolo, nome attivita, oggetto, nome, nome da tarefa, tarefa, assunto,
        tytul, nazwa zadania, zadanie, temat, nazwa, nazev ukolu, ukol, nazev, predmet,
        uppgift, namn, opgave, oppgave, tittel, navn, otsikko, tehtava, nimi, 제목, 件名, タイトル, 标题, 任务
        """,
    Use.KEY: "key, issue key",
    Use.ID: "issue id, task id, unique id, card id, id, no, nr, n, number, lfd nr, #",
    Use.PARENT: """
        parent, parent item, parent id, parent key, parent issue, parent task, parent work item, epic link, epic,
        activity, group,
        ubergeordnete aufgabe, oberaufgabe, ubergeordneter vorgang, ubergeordnetes arbeitspaket, tache parente,
        tarea principal, bovenliggende taak, attivita principale, tarefa pai, zadanie nadrzedne, nadrazeny ukol,
        overordnad uppgift, overordnet opgave, overordnet oppgave, ylatehtava
        """,
    Use.OUTLINE: "outline number, outline, wbs, wbs code, gliederungsnummer, psp code, psp",
    Use.INDENT: "indent, outline level, level, gliederungsebene, ebene, niveau, nivel, livello",
    Use.PHASE: """
        phase, stage, section, section column, list, list name, bucket, bucket name, column, milestone,
        abschnitt, etappe, liste, spalte, meilenstein, etape, jalon, fase, etapa, seccion, lista, hito,
        sectie, mijlpaal,
        sezione, faza, etap, sekcja, kamien milowy, faze, fas, vaihe
        """,
    Use.KIND: "kind, type, issue type, typ, art, vorgangsart, aufgabentyp, tipo, soort, rodzaj, druh, slag, tyyppi",
    Use.STATUS: """
        status, state, current state, workflow state, progress, zustand, stand, statut, etat, estado, stato, situacao,
        stav, tila, 상태, 状態, 状态
        """,
    Use.DONE: """
        done, progress %, % progress, completed, completed at, completed on, completed date, date completed, complete,
        % complete, percent complete, % done, done ratio, finished, finished date, finished at, closed at, resolution,
        resolved, accepted at, completion date, erledigt, erledigt am,
        abgeschlossen, abgeschlossen am, % abgeschlossen, fertig, fertig %, termine, realise, % acheve, completado,
        % completado, terminado, voltooid, % voltooid, completato, % completato, concluido, % concluido, ukonczono,
        % ukonczenia, dokonceno, % dokonceno, klar, faerdig, ferdig, valmis, due complete
        """,
    Use.ARCHIVED: "archived, archived at, is archived, archiviert, archive, archivado, archiviato, canceled, cancelled",
    Use.ASSIGNED: """
        assigned to, assignee, assignees, assigned, assign, assignee name, owner, owners, owned by, responsible, who,
        resource names, resource, resources, person, people, member, members, assigned user, zugewiesen an, zugewiesen,
        zustandig, bearbeiter, verantwortlich, ressourcennamen, wer, assigne a, attribue a, responsable, asignado a,
        asignado, encargado, toegewezen aan, verantwoordelijke, assegnato a, responsabile, atribuido a, responsavel,
        przypisane do, przypisany, odpowiedzialny, prirazeno, resitel, zodpovedny, tilldelad, ansvarig, tildelt,
        ansvarlig, vastuuhenkilo
        """,
    Use.EMAIL: "assignee email, assignee e mail, owner email",
    Use.DUE: """
        due date, due, due on, duedate, deadline, target date, end date, end, finish date, finish, planned end, date,
        fallig am, fallig, falligkeitsdatum, falligkeit, enddatum, ende, termin, frist, echeance, date d echeance,
        date limite, date de fin, fin, fecha limite, fecha de vencimiento, vencimiento, fecha de fin, vervaldatum,
        einddatum, scadenza, data di scadenza, data fine, prazo, data de vencimento, data limite, termin wykonania,
        data zakonczenia, termin dokonceni, datum dokonceni, forfallodatum, slutdatum, forfaldsdato, slutdato,
        forfallsdato, sluttdato, maarapaiva, erapaiva, 期限, 마감일, 截止日期
        """,
    Use.START: """
        start date, start, starts, begin, begin date, start on, planned start, startdatum, beginn, anfang, debut,
        date de debut, inicio, fecha de inicio, begindatum, inizio, data inizio, data de inicio, data rozpoczecia,
        zacatek, startdato, alku, aloituspaiva
        """,
    Use.DESCRIPTION: """
        description, notes, details, note, body, issue description, card description, task description, beschreibung,
        notizen, notiz, bemerkung, bemerkungen, remarques, descripcion, notas, omschrijving, beschrijving, notities,
        descrizione, descricao, opis, notatki, popis, poznamka, beskrivning, anteckningar, beskrivelse, notat, kuvaus
        """,
    Use.LINK: "link, url, issue url, card url, permalink, permalink url",
    Use.PRIORITY: """
        priority, importance, prio, prioritat, wichtigkeit, priorite, prioridad, prioriteit, priorita, prioridade,
        priorytet, prioritet, prioriteetti
        """,
    Use.LABELS: """
        labels, label, tags, tag, categories, category, etiketten, schlagworte, kategorien, kategorie, etiquettes,
        etiquetas, etichette, etykiety, stitky, etiketter, merkelapper, tunnisteet
        """,
    Use.COMMENT: """
        comment, comments, kommentar, kommentare, commentaire, commentaires, comentario, comentarios, komentarz
        """,
    Use.WAITS_FOR: """
        predecessors, depends on, dependencies, blocked by, blocked by dependencies, is blocked by, waits for,
        inward issue link blocks, vorganger, abhangig von, predecesseurs, predecesoras, voorgangers, predecessori,
        predecessoras, poprzedniki, predchudci
        """,
    Use.BLOCKS: "blocking, blocks, blocking dependencies, outward issue link blocks, successors, nachfolger",
}

_LISTS = frozenset(split_words("list, list name, column, section column, liste, spalte, lista"))
"""The heads of the lists of a board, which stand for phases or for statuses."""

_AMOUNTS = frozenset(
    split_words("""
    cost, costs, budget, price, amount, estimate, estimated, estimates, effort, hours, points, spent, total, sum,
    kosten, preis, betrag, aufwand, schatzung, stunden, punkte, summe, wert, cout, prix, montant, estimation,
    heures, charge, coste, costo, precio, importe, presupuesto, horas, puntos, estimacion, prijs, bedrag, uren,
    punten, schatting, begroting, prezzo, importo, ore, punti, stima, custo, preco, valor, pontos, estimativa,
    orcamento, koszt, cena, kwota, godziny, punkty, budzet, naklady, castka, hodiny, body, odhad, rozpocet, kostnad,
    pris, belopp, belob, timer, timmar, poang, hinta, kustannus, tunnit, pisteet, budjetti, budsjett, estimat
    """)
)
"""The words in the heads of amounts."""


def plain_head(head: str) -> str:
    """Return the form in which heads are compared.

    >>> plain_head("Custom field (Epic Link)"), plain_head("% Abgeschlossen"), plain_head("Due_Date")
    ('epic link', '% abgeschlossen', 'due date')
    >>> plain_head("dueDate")
    'due date'
    """
    folded = fold(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", head))
    of_jira = re.fullmatch(r"custom field \((.*)\)", folded.strip(), re.DOTALL)
    words = re.findall(r"[^\W_]+|[%#]", of_jira[1] if of_jira else folded)
    return " ".join(words)


def find_uses(heads: list[str], empty: Collection[int] = ()) -> list[Use]:
    """Return the use of each column that its head names; FIELD for one that names none.

    ``empty`` are the places of columns without cells, which have a use only if no other column has it.

    >>> [str(use) for use in find_uses(["Task name", "Name", "Labels", "Labels", "Cost"])]
    ['title', 'field', 'labels', 'labels', 'field']
    """
    uses = [Use.FIELD] * len(heads)
    plain = [plain_head(head) for head in heads]
    for use, words in _words().items():
        places = [at for word in words for at, head in enumerate(plain) if head == word and uses[at] is Use.FIELD]
        for at in places if use in REPEATED else sorted(places, key=empty.__contains__)[:1]:
            uses[at] = use
    if Use.TITLE not in uses:  # such as “Lot / Tâche”
        both = [any(map(names_title, head.split("/"))) for head in heads]
        uses = [Use.TITLE if each and use is Use.FIELD else use for each, use in zip(both, uses, strict=True)]
    if Use.TITLE not in uses and Use.PARENT in uses and plain[uses.index(Use.PARENT)] in ("activity", "epic", "group"):
        uses[uses.index(Use.PARENT)] = Use.TITLE
    return uses


def names_use(head: str) -> bool:
    """Return True for a head that names another use than a custom field."""
    return any(plain_head(head) in words for words in _words().values())


def names_list(head: str) -> bool:
    """Return True for the head of the lists of a board."""
    return plain_head(head) in _LISTS


def names_title(head: str) -> bool:
    """Return True for the head of a column of titles."""
    return plain_head(head) in _words()[Use.TITLE]


def names_amount(head: str) -> bool:
    """Return True for the head of an amount.

    >>> names_amount("Story points"), names_amount("Kosten (EUR)"), names_amount("Version")
    (True, True, False)
    """
    return not _AMOUNTS.isdisjoint(plain_head(head).split())


def count_known(heads: list[str]) -> int:
    """Return how many heads name a use: lines before the heads of a table have none."""
    return sum(use is not Use.FIELD for use in find_uses(heads))


@cache
def _words() -> dict[Use, list[str]]:
    return {use: [plain_head(each) for each in split_words(words)] for use, words in _HEADS.items()}
