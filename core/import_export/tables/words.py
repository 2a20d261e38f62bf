"""Words of other programs and languages in the cells of tables: statuses, priorities, yes and no.

All are compared folded, with single blanks between their words. Those that mean nothing here are mapped by the person
who imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TypeVar

from core.domain.model import ItemKind, Priority, Status
from core.domain.statuses import status_meant
from core.text.folding import fold


def split_words(text: str) -> list[str]:
    """The words of a list that has commas and line ends between them.

    >>> split_words("yes, y\\ntrue")
    ['yes', 'y', 'true']
    """
    return [word for each in re.split(r"[,\n]", text) if (word := each.strip())]


_STATUSES: Mapping[Status, str] = {
    Status.TO_DO: """
        reopened, re-opened, selected for development, ready for development, ready to start, unstarted, unscheduled,
        icebox, triage, todo list, needs triage, on deck, upcoming, scheduled, proposed, draft, idea,
        funnel, in backlog,
        to be scheduled, to be discussed, confirmed, specified, in specification, feedback, on hold, hold, deferred,
        waiting for, waiting for client, waiting for customer, waiting for support, new request, requested, unknown
        offen, neu, nicht begonnen, nicht angefangen, geplant, zu erledigen, zu tun, ausstehend, wartend, wartet,
        zuruckgestellt, wiedereroffnet
        a faire, ouvert, ouverte, nouveau, nouvelle, non commence, non demarre, a planifier, en attente, planifie
        pendiente, por hacer, abierto, abierta, nuevo, nueva, sin empezar, no iniciado, no iniciada, en espera
        te doen, nieuw, niet gestart, niet begonnen, gepland, wacht, in de wacht
        da fare, aperto, aperta, nuovo, nuova, non iniziato, non iniziata, in attesa, pianificato
        a fazer, por fazer, aberto, aberta, novo, nova, nao iniciado, nao iniciada, pendente, em espera
        do zrobienia, otwarte, otwarty, nowe, nowy, nierozpoczete, nie rozpoczeto, oczekujace, wstrzymane
        k vyrizeni, otevrene, otevreno, nove, novy, nezahajeno, ceka
        att gora, oppen, ny, ej paborjad, inte paborjad, vantar
        at gore, aben, ikke pabegyndt, ikke startet, a gjore, apen, ikke pabegynt, venter
        tehtava, tehtavat, avoin, uusi, ei aloitettu, odottaa
        대기, 할 일, 예정, 未着手, 未开始, 待办
        """,
    Status.IN_PROGRESS: """
        in development, development, developing, in work, in work by, working, ongoing, underway, under way,
        work in progress,
        in dev, coding, code review, peer review, under review, reviewing, in test, in testing, ready for test,
        ready for testing, ready for qa, qa, in qa, uat, in uat, verification, in verification,
        verified - uat, test in uat,
        awaiting review, ready for review, needs review, delivered, implemented, accepted for work,
        assigned, developed,
        ready for release, ready to deploy, staging, build broken, fixing, half done, partially done
        in arbeit, in bearbeitung, begonnen, angefangen, laufend, lauft, in prufung, in umsetzung, im test
        en cours, en cours de realisation, commence, demarre, en revision, en test
        en curso, en progreso, en proceso, iniciado, iniciada, empezado, en revision
        bezig, in uitvoering, mee bezig, gestart, in behandeling
        in corso, iniziato, iniziata, in lavorazione, in revisione
        em andamento, em progresso, em curso, em execucao, em revisao
        w toku, w trakcie, rozpoczete, w realizacji, w trakcie realizacji
        probiha, rozpracovano, v reseni, zahajeno, resi se
        pagar, pagaende, paborjad, under arbete
        i gang, pagaende, pabegyndt, igang, pagar, under arbeid, pabegynt
        kesken, kaynnissa, tyon alla, aloitettu
        진행 중, 진행중, 진행, 進行中, 进行中
        """,
    Status.COMPLETED: """
        fixed, verified, accepted, approved, delivered to customer, deployed, live, merged, published, won,
        signed off,
        in production, solved
        erledigt, fertig, abgeschlossen, fertiggestellt, geschlossen, beendet, gelost, behoben
        termine, terminee, fini, finie, fait, faite, ferme, fermee, clos, close, resolu, acheve
        hecho, hecha, terminado, terminada, completado, completada, cerrado, cerrada, finalizado, finalizada, resuelto
        klaar, gereed, gedaan, voltooid, afgerond, gesloten, opgelost
        fatto, fatta, completato, completata, chiuso, chiusa, finito, finita, risolto, concluso
        feito, feita, concluido, concluida, terminado, fechado, fechada, finalizado, resolvido
        zrobione, zakonczone, zakonczony, gotowe, ukonczone, zamkniete, zamkniety, rozwiazane
        hotovo, dokonceno, ukonceno, uzavreno, vyreseno, splneno
        klar, klart, fardig, avslutad, slutford, stangd
        faerdig, afsluttet, lukket, faerdigt, ferdig, fullfort, avsluttet, lukket
        valmis, tehty, suljettu, paattynyt
        완료, 完了, 完成, 已完成
        """,
    Status.ARCHIVED: """
        won't do, wont do, won't fix, wont fix, wontfix, declined, rejected, rejected and closed, duplicate,
        duplicated, invalid,
        obsolete, abandoned, discarded, withdrawn, not planned, closed as not planned, cannot reproduce, on ice
        abgebrochen, abgelehnt, verworfen, storniert, archiviert
        annule, annulee, abandonne, archive, archivee
        cancelado, cancelada, descartado, archivado
        geannuleerd, vervallen, gearchiveerd
        annullato, annullata, archiviato
        arquivado, arquivada
        anulowane, odrzucone, zarchiwizowane
        zruseno, zamitnuto, archivovano
        avbruten, installd, arkiverad
        annulleret, arkiveret, avbrutt, kansellert, arkivert
        peruttu, hylatty, arkistoitu
        """,
}

_PRIORITIES: Mapping[Priority, str] = {
    Priority.LOW: """
        low, lowest, minor, trivial, nice to have, could, could have, p3, p4
        niedrig, gering, bas, basse, faible, baja, bajo, laag, bassa, basso, baixa, baixo, niski, nizka,
        lag, lav, matala
        """,
    Priority.NORMAL: """
        normal, medium, none, no priority, moderate, standard, should, should have, default, p2
        mittel, moyenne, moyen, normale, media, medio, gemiddeld, normaal, media, sredni, stredni, medel,
        mellem, middels,
        normaali
        """,
    Priority.HIGH: """
        high, major, important, must, must have, p1
        hoch, wichtig, haute, haut, elevee, importante, alta, alto, hoog, belangrijk, wysoki, vysoka, hog,
        hoj, hoy, korkea
        """,
    Priority.URGENT: """
        urgent, highest, critical, blocker, immediate, emergency, showstopper, p0
        dringend, kritisch, sehr hoch, urgente, critique, critico, dringend, urgente, pilny, krytyczny,
        nalehave, kriticka,
        bradskande, kritisk, haster, kiireellinen
        """,
}

_KINDS: Mapping[ItemKind, str] = {
    ItemKind.TASK: """
        task, sub-task, subtask, to-do, vorgang, aufgabe, unteraufgabe, tache, sous-tache, tarea, subtarea, taak,
        subtaak, attivita, compito, tarefa, subtarefa, zadanie, podzadanie, ukol, dilci ukol, uppgift, deluppgift,
        opgave, delopgave, oppgave, deloppgave, tehtava, alitehtava
        """,
    ItemKind.ACTIVITY: """
        activity, epic, summary, summary task, aktivitat, sammelvorgang, activite, tache recapitulative, epopee,
        actividad, tarea de resumen, epica, activiteit, samenvattingstaak, attivita di riepilogo, atividade,
        tarefa de resumo, epico, aktywnosc, zadanie podsumowujace, aktivita, souhrnny ukol, aktivitet, sammanfattning,
        aktiviteetti
        """,
}

_YES = frozenset(
    split_words("""
    yes, y, true, x, done, 1, 100, 100%, ✓, ✔, ☑, ja, wahr, oui, vrai, si, verdadero, vero, sim, verdadeiro, tak,
    prawda, ano, pravda, sant, sand, kylla, tosi
    """)
)
_NO = frozenset(
    split_words("""
    no, n, false, 0, 0%, ☐, ✗, nein, falsch, non, faux, falso, nee, onwaar, nao, nie, falsz, ne, nepravda, nej,
    falskt, falsk, nei, ei
    """)
)


T = TypeVar("T")


def status_word(words: str) -> Status | None:
    """Return the status that a word of a table means; None for one that the person has to map.

    >>> status_word("In Bearbeitung"), status_word("Won't Fix"), status_word("Sprint 4")
    (<Status.IN_PROGRESS: 'IN_PROGRESS'>, <Status.ARCHIVED: 'ARCHIVED'>, None)
    """
    return status_meant(words) or _by_word()[0].get(_plain(words))


def status_of_list(name: str) -> Status | None:
    """Return the status that a list of a board stands for, also with a limit: “Doing (max 3)”, “Done ✅”."""
    return status_word(re.sub(r"[(\[].*?[)\]]", "", name))


def priority_word(words: str) -> Priority | None:
    """Return the priority that a word of a table means; None for one that the person has to map.

    Numbers have no one meaning: 1 is the highest in Linear, and the lowest elsewhere. One before a word is left out.
    """
    return _by_word()[1].get(_plain(re.sub(r"^\s*[pP]?\d+\s*[-–.:)]\s*(?=\D)", "", words)))


def truth_word(words: str) -> bool | None:
    """Return whether a cell says yes or no; None for one that says neither."""
    plain = fold(words).strip()
    return True if plain in _YES else False if plain in _NO else None


def kind_word(words: str) -> ItemKind | None:
    """Return whether a word means a task or an activity; None for one that means neither, such as “Milestone”.

    >>> kind_word("Sammelvorgang"), kind_word("Bug")
    (<ItemKind.ACTIVITY: 'ACTIVITY'>, None)
    """
    return _by_word()[2].get(_plain(words))


@cache
def _by_word() -> tuple[dict[str, Status], dict[str, Priority], dict[str, ItemKind]]:
    return _spread(_STATUSES), _spread(_PRIORITIES), _spread(_KINDS)


def _spread(kinds: Mapping[T, str]) -> dict[str, T]:
    """The meaning of each word; the first one of a word that stands in several lists."""
    found: dict[str, T] = {}
    for kind, lists in kinds.items():
        for word in split_words(lists):
            found.setdefault(_plain(word), kind)
    return found


def _plain(words: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", fold(words)))
